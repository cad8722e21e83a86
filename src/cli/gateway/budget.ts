import { budgetDocument, spendDocument } from '../../app/documents/gateway-document.ts';
import type { Spend } from '../../core/gateway/gateway.ts';
import { LIMITS, SPENT_COUNTERS } from '../../core/gateway/limits.ts';
import type { CommandInput } from '../command.ts';
import { forSamePlace } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { renderTable } from '../print/table.ts';
import { withAppRecords } from '../with-app.ts';
import { budgetSentence, formatAmount, unpricedSentence } from './budget-words.ts';
import type { BudgetOptions } from './options.ts';

/** `coppice budget [--by source|day|model|session]` */
export function run(input: CommandInput<BudgetOptions>): Promise<number> {
  const { options, io, global } = input;
  const by = options.by ?? 'day';
  return withAppRecords(input, async (home) => {
    const spent = await home.gateway.spend(by);
    const budgets = await home.gateway.budgets();
    if (global.json) {
      writeJson(io.out, { by, spending: spent.map(spendDocument), budgets: budgets.map(budgetDocument) });
    } else if (spent.length === 0) {
      io.out.write(forSamePlace(global, NOTHING_USED));
    } else {
      // Steps and time are counted for sessions only: a day has as much of both as it has sessions.
      const shown = SPENT_COUNTERS.filter((counter) => by === 'session' || 'day' in LIMITS[counter]);
      const names = NAMES.filter(({ of }) => spent.some((spend) => of(spend) !== ''));
      const columns = [
        ...names.map(({ title }) => ({ title: title ?? by.toUpperCase(), shrink: title === undefined })),
        ...shown.map((counter) => ({ title: LIMITS[counter].title, align: 'right' as const })),
      ];
      const rows = spent.map((spend) => [
        ...names.map(({ of }) => of(spend)),
        ...shown.map((counter) => formatAmount(counter, spend.used[counter])),
      ]);
      io.out.write(renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour }));
    }
    const models = by === 'model' ? spent : await home.gateway.spend('model');
    const unpriced = new Set(models.filter((spend) => spend.unpriced === true).map(({ key }) => key));
    if (!global.json && unpriced.size > 0) io.out.write(`${unpricedSentence([...unpriced])}\n`);
    if (!global.json) for (const budget of budgets) io.out.write(`${safeText(budgetSentence(budget))}\n`);
    return 0;
  });
}

const NOTHING_USED = 'Nothing was used in live sessions yet.\nRun an agent with: coppice run -- COMMAND\n';

/** What a row is about. Without a title it is what was asked for; sources and models are counted day by day. */
const NAMES: readonly { readonly title?: string; readonly of: (spend: Spend) => string }[] = [
  { title: 'DAY', of: ({ period }) => period },
  { of: ({ key }) => key },
];
