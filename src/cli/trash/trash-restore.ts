import { findRun } from '../../app/retention/find-run.ts';
import { givenBackBy } from '../../app/retention/given-back-by.ts';
import { Failure } from '../../core/failure.ts';
import { shellWord } from '../../core/shell-word.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { itemsOf } from '../retention/items-of.ts';
import { withApp } from '../with-app.ts';
import { giveBack } from './give-back.ts';

/** `coppice trash restore RUN [ID…]`: all of a run, or the items with these whole ids. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const [runId = '', ...ids] = input.args;
  return withApp(input, async (home) => {
    const retention = await home.retention();
    const recovered = await retention.recover();
    const found = await findRun(retention, runId);
    const before = givenBackBy(recovered, { runId, ...(ids.length > 0 && { ids }) });
    const trashed = await itemsOf(retention, runId, 'trashed');
    const items = ids.length === 0 ? trashed : trashed.filter(({ item }) => ids.includes(item.id));
    const missing = ids.find((id) => ![...items, ...before].some(({ item }) => item.id === id));
    if (missing !== undefined || items.length + before.length === 0) {
      const what = missing === undefined ? 'nothing' : `no ${missing}`;
      throw new Failure('not-found', `There is ${what} in the trash of run ${runId}.`, {
        hint: `Nothing was given back. See what it removed with: coppice runs show ${shellWord(runId)}`,
      });
    }
    return giveBack(input, home, { run: found, items, before, ...(ids.length > 0 && { ids }) });
  });
}
