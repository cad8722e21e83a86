import type { ExpiringItem, HomeExpiring } from '../../app/machine/expiring.ts';
import { DAY_MS, isoTime } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { ExpiringOptions } from '../command-options.ts';
import { formatBytes, formatCount, formatDate, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { withScanProgress } from '../retention/with-scan-progress.ts';
import { ACTION_WORDS, KIND_WORDS, REASON_WORDS } from '../../core/retention/words.ts';
import { safeText } from '../print/safe-text.ts';
import { settingWords } from './setting-words.ts';
import { type Column, renderTable } from '../print/table.ts';
import { withHome } from '../with-home.ts';
import { homeFields } from './in-home.ts';
import type { OpenKnownHome } from './open-homes.ts';

/** As far as people look ahead who do not say. */
const WITHIN_MS = 14 * DAY_MS;
/** A screenful; `--json` has all of them. */
const SHOWN = 20;

/** `coppice expiring`: what our rules, and the agents themselves, are about to let go of. */
export function run(input: CommandInput<ExpiringOptions>): Promise<number> {
  const { io, options } = input;
  const withinMs = options.within ?? WITHIN_MS;
  return withHome(
    input,
    async (home) => {
      const outlook = await home.outlook();
      const expiring = await withScanProgress(io, (scan) => outlook.expiring({ ...scan, withinMs }));
      const agent = home.foreign?.agent ?? 'Coppice';
      return print(input, [{ name: undefined, agent, path: home.path, ...expiring }], withinMs);
    },
    { reading: 'rules' },
  );
}

/** The same of several homes, in one list. */
export async function runOver(homes: readonly OpenKnownHome[], input: CommandInput<ExpiringOptions>): Promise<number> {
  const withinMs = input.options.within ?? WITHIN_MS;
  const all: OneHome[] = [];
  for (const { known, home } of homes) {
    const outlook = await home.outlook();
    const expiring = await withScanProgress(input.io, (scan) => outlook.expiring({ ...scan, withinMs }));
    all.push({ ...homeFields(known), ...expiring });
  }
  return print(input, all, withinMs);
}

interface OneHome extends HomeExpiring {
  /** Undefined where the only home needs no name. */
  readonly name: string | undefined;
  readonly agent: string;
  readonly path: string;
}

type Row = ExpiringItem & Pick<OneHome, 'name' | 'agent'>;

function print(input: CommandInput<ExpiringOptions>, homes: readonly OneHome[], withinMs: number): number {
  const { io, global } = input;
  const rows = homes.flatMap(({ name, agent, items }) => items.map((item) => ({ ...item, name, agent })));
  const soonest = rows.toSorted((a, b) => a.at - b.at);
  if (global.json) {
    const listed = homes.map(({ items: _items, ...home }) => home);
    const items = soonest.map(({ name, at, agent: _agent, ...item }) => ({ home: name, at: isoTime(at), ...item }));
    writeJson(io.out, { withinDays: withinMs / DAY_MS, homes: listed, items });
    return 0;
  }
  const now = io.clock.now();
  const already = soonest.filter((row) => row.by === 'rules' && row.at <= now);
  const toCome = soonest.filter((row) => row.by === 'agent' || row.at > now);
  printRows(input, toCome, { withinMs, named: homes.length > 1, already: already.length > 0 });
  if (already.length > 0) {
    const amount = `${plural(already.length, 'item')} (${formatBytes(bytesOf(already))})`;
    io.out.write(`By your rules ${amount} may go already. See which and why with: ${hintCommand(global, 'plan')}\n`);
  }
  for (const home of homes) for (const line of about(input, home)) io.out.write(`${line}\n`);
  const asleep = homes.filter(({ unattended, items }) => !unattended && items.some(({ by }) => by === 'rules'));
  if (asleep.length > 0) {
    const names = asleep.map(({ name }) => safeText(name ?? 'this home')).join(', ');
    io.out.write(
      `Unattended maintenance is off in ${names}: nothing goes by your rules there until you apply a plan.\n`,
    );
  }
  return 0;
}

interface Shown {
  readonly withinMs: number;
  readonly named: boolean;
  /** Some of it may go now, of which there is a word of its own. */
  readonly already: boolean;
}

function printRows({ io: { out, clock } }: CommandInput<ExpiringOptions>, rows: readonly Row[], shown: Shown): void {
  const days = plural(shown.withinMs / DAY_MS, 'day');
  if (rows.length === 0) {
    out.write(`Nothing${shown.already ? ' else' : ''} goes within ${days}.\n`);
    return;
  }
  const amount = `${plural(rows.length, 'item')} (${formatBytes(bytesOf(rows))})`;
  out.write(`${out.colour.bold(`${amount} may go within ${days}.`)}\n\n`);
  const columns = shown.named ? COLUMNS : COLUMNS.toSpliced(HOME_AT, 1);
  const cells = rows.slice(0, SHOWN).map((row) => {
    const all = cellsOf(row, clock.now());
    return shown.named ? all : all.toSpliced(HOME_AT, 1);
  });
  out.write(`${renderTable({ columns, rows: cells, width: out.columns, colour: out.colour })}\n`);
  if (rows.length > SHOWN) out.write(`… and ${formatCount(rows.length - SHOWN)} more; all of them with --json\n\n`);
}

function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

const COLUMNS: readonly Column[] = [
  { title: 'WHEN' },
  { title: 'HOME', shrink: true, minWidth: 8 },
  { title: 'ITEM', shrink: true, minWidth: 12 },
  { title: 'SIZE', align: 'right' },
  { title: 'BY', shrink: true },
  { title: 'WHY', shrink: true, minWidth: 12 },
  { title: 'TITLE', shrink: true, minWidth: 8 },
];
const HOME_AT = 1;

function cellsOf(row: Row, now: number): string[] {
  const { at, name = '', item, sizeBytes, agent, title } = row;
  const byRules = row.by === 'rules';
  return [
    at > now ? formatDate(at) : byRules ? 'now' : 'next start',
    name,
    item.id,
    formatBytes(sizeBytes),
    byRules ? `rules, ${ACTION_WORDS[row.action]}` : agent,
    byRules ? REASON_WORDS[row.reason] : agentWords(row),
    title ?? (item.kind === 'session' ? '' : KIND_WORDS[item.kind]),
  ];
}

/** What the agent deletes comes back from nowhere. */
function agentWords({ kept, rescued }: Extract<ExpiringItem, { by: 'agent' }>): string {
  if (rescued) return 'FOR GOOD, but archived before';
  return kept ? 'FOR GOOD, though your rules keep it' : 'FOR GOOD';
}

function about({ global }: CommandInput<ExpiringOptions>, { name, agent, own, items }: OneHome): string[] {
  const place = name === undefined ? global : { home: name };
  const called = safeText(name ?? 'This home');
  const lost = items.filter((item) => item.by === 'agent' && item.kept && !item.rescued).length;
  return [
    ...(own === undefined ? [] : [`${called}: ${safeText(agent)} deletes by itself (${safeText(settingWords(own))}).`]),
    ...(lost === 0
      ? []
      : [
          `  ${plural(lost, 'session')} that your rules keep would be lost. homes.rescue: true archives them before; now: ${hintCommand(place, 'sessions', 'archive', '--older-than', '1d')}`,
        ]),
  ];
}
