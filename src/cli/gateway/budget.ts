import { spendDocument } from '../../app/documents/gateway-document.ts';
import type { Spend } from '../../core/gateway.ts';
import type { CommandInput } from '../command.ts';
import { formatBytes, formatCount, formatDuration, formatTokens, formatUsd } from '../format.ts';
import { writeJson } from '../json-output.ts';
import { renderTable } from '../table.ts';
import { withApp } from '../with-app.ts';
import type { BudgetOptions } from './options.ts';

/** `coppice budget [--by source|day|model|session]` */
export function run(input: CommandInput<BudgetOptions>): Promise<number> {
  const { options, io, global } = input;
  const by = options.by ?? 'day';
  return withApp(input, async (home) => {
    const spent = await home.gateway.spend(by);
    if (global.json) {
      writeJson(io.out, { by, spending: spent.map(spendDocument) });
    } else if (spent.length === 0) {
      io.out.write('Nothing was used in live sessions yet.\nRun an agent with: coppice run -- COMMAND\n');
    } else {
      // Steps and time are counted for sessions only: a day has as much of both as it has sessions.
      const shown = MEASURES.filter(({ ofSessions }) => by === 'session' || ofSessions !== true);
      const columns = [
        { title: by.toUpperCase(), shrink: true },
        ...shown.map(({ title }) => ({ title, align: 'right' as const })),
      ];
      const rows = spent.map((spend) => [nameOf(spend), ...shown.map(({ of }) => of(spend.used))]);
      io.out.write(renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour }));
    }
    return 0;
  });
}

interface Measure {
  readonly title: string;
  readonly of: (used: Spend['used']) => string;
  readonly ofSessions?: boolean;
}

const MEASURES: readonly Measure[] = [
  { title: 'TOKENS', of: ({ tokens }) => formatTokens(tokens) },
  { title: 'COST', of: ({ nanoUsd }) => formatUsd(nanoUsd / 1e9) },
  { title: 'MESSAGES', of: ({ messages }) => formatCount(messages) },
  { title: 'SIZE', of: ({ bytes }) => formatBytes(bytes) },
  { title: 'STEPS', of: ({ iterations }) => formatCount(iterations), ofSessions: true },
  { title: 'TIME', of: ({ wallMs }) => formatDuration(wallMs), ofSessions: true },
];

function nameOf({ key, period }: Spend): string {
  return [period, key].filter((part) => part !== '').join(' ');
}
