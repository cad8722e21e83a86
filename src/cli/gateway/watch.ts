import { setTimeout } from 'node:timers/promises';
import type { App } from '../../app/app.ts';
import { type SessionFacts, sessionBytes, totalTokens } from '../../core/sessions/session.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatBytes, formatCount, formatTime, formatTokens, formatUsd, plural } from '../print/format.ts';
import type { Io } from '../io.ts';
import { jsonLine } from '../print/json-output.ts';
import { renderTable } from '../print/table.ts';
import { withAppToLook } from '../with-app.ts';

const EVERY_MS = 2000;
const SHOWN = 15;

/** `coppice watch`. On a terminal it redraws; elsewhere, and with `--json`, it adds one block or line each time. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withAppToLook(
    input,
    async (home) => {
      const before = new Map<string, SessionFacts>();
      while (!io.signal.aborted) {
        const view = await look(home, before);
        if (global.json) io.out.write(jsonLine(document(view, io)));
        else io.out.write(`${io.out.isTerminal ? '\u001b[H\u001b[2J' : ''}${render(view, io)}`);
        await io.out.drained();
        await setTimeout(EVERY_MS, undefined, { signal: io.signal });
      }
      return 0;
    },
    { long: true },
  );
}

interface Row {
  readonly session: SessionFacts;
  readonly newTokens: number;
  readonly newBytes: number;
}

/** Sessions in use, busiest first, and what each added since the last look. */
async function look(home: App, before: Map<string, SessionFacts>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const session of home.sessions.list({ active: true })) {
    const last = before.get(session.id) ?? session;
    rows.push({
      session,
      newTokens: totalTokens(session.usage) - totalTokens(last.usage),
      newBytes: sessionBytes(session) - sessionBytes(last),
    });
  }
  before.clear();
  for (const { session } of rows) before.set(session.id, session);
  return rows.toSorted((a, b) => b.newBytes - a.newBytes || b.session.lastActiveAt - a.session.lastActiveAt);
}

function render(rows: readonly Row[], io: Io): string {
  const now = io.clock.now();
  const head = `${formatTime(now)}  ${plural(rows.length, 'session')} in use. Ctrl-C ends this.\n`;
  if (rows.length === 0) return head;
  const columns = [
    { title: 'SESSION', shrink: true },
    { title: 'SOURCE', shrink: true },
    ...['MESSAGES', 'TOKENS', 'NEW', 'COST', 'SIZE', 'GROWN'].map((title) => ({ title, align: 'right' as const })),
    { title: 'LAST USED' },
  ];
  const cells = rows
    .slice(0, SHOWN)
    .map(({ session, newTokens, newBytes }) => [
      session.id,
      session.source,
      formatCount(session.messageCount),
      formatTokens(totalTokens(session.usage)),
      formatTokens(newTokens),
      formatUsd(session.usage.costUsd),
      formatBytes(sessionBytes(session)),
      formatBytes(newBytes),
      formatAge(session.lastActiveAt, now),
    ]);
  const more = rows.length > SHOWN ? `… and ${formatCount(rows.length - SHOWN)} more\n` : '';
  return `${head}\n${renderTable({ columns, rows: cells, width: io.out.columns, colour: io.out.colour })}${more}\n`;
}

function document(rows: readonly Row[], io: Io) {
  return {
    at: new Date(io.clock.now()).toISOString(),
    sessions: rows.map(({ session, newTokens, newBytes }) => ({
      id: session.id,
      source: session.source,
      messages: session.messageCount,
      tokens: totalTokens(session.usage),
      newTokens,
      costUsd: session.usage.costUsd,
      sizeBytes: sessionBytes(session),
      newBytes,
    })),
  };
}
