import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anInventory, aPolicy, aSession } from '../../test/support/inventories.ts';
import type { SessionItem } from '../core/retention/inventory.ts';
import type { PlanRequest } from '../core/retention/plan.ts';
import type { Policy } from '../core/retention/policy.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';
import { planRetention } from './plan-retention.ts';

// Every combination of yes and no that can matter to one session, against a table written from the specification.

const USE = ['active', 'routed', 'open'] as const;
const FACTS = [...USE, 'pinned', 'future', 'unreadable', 'young', 'tagged', 'slight', 'newest'] as const;
const RULES = ['retention', 'archive', 'transcripts'] as const;

type Row = Readonly<Record<(typeof FACTS)[number] | (typeof RULES)[number], boolean>>;
type Table = readonly (readonly [when: (row: Row) => boolean, fate: string])[];

const HOLDS: Table = [
  [(row) => row.active, 'keep active'],
  [(row) => row.routed, 'keep routed'],
  [(row) => row.open, 'keep open'],
  [(row) => row.pinned, 'keep pinned'],
  [(row) => row.future, 'keep future'],
  [(row) => row.unreadable, 'keep unreadable'],
];
const KEEPS: Table = [
  [(row) => row.young, 'keep young'],
  [(row) => row.tagged, 'keep tagged'],
];

const POLICY_TABLE: Table = [
  ...HOLDS,
  ...KEEPS,
  [(row) => row.slight, 'remove trivial'],
  [(row) => row.retention && !row.newest, 'remove retention'],
  [(row) => row.archive && !row.newest, 'archive archive-age'],
  [(row) => row.transcripts, 'drop-files transcript-retention'],
  [(row) => row.newest, 'keep keep-last'],
  [() => true, 'keep not-expired'],
];

const TAGGED: Table[number] = [(row) => row.tagged, 'keep tagged'];
const FLOOR: Table[number] = [(row) => row.newest && !row.slight, 'keep keep-last'];

const REQUESTS: readonly (readonly [PlanRequest, Table])[] = [
  [{ kind: 'delete', ids: ['it'] }, [...HOLDS, TAGGED, [() => true, 'remove named']]],
  [{ kind: 'delete', ids: ['i', 'it ', 'IT', '*', 'it*'] }, [[() => true, 'keep not-selected']]],
  [
    { kind: 'prune', filter: {}, before: NOW, part: 'all' },
    [[(row) => row.future, 'keep not-selected'], ...HOLDS, TAGGED, FLOOR, [() => true, 'remove selected']],
  ],
  [
    { kind: 'prune', filter: { source: 'cli' }, part: 'all' },
    [...HOLDS, ...KEEPS, FLOOR, [() => true, 'remove selected']],
  ],
  [
    { kind: 'prune', filter: {}, before: NOW, part: 'files' },
    [[(row) => row.future, 'keep not-selected'], ...HOLDS, TAGGED, [() => true, 'drop-files selected']],
  ],
  [{ kind: 'archive', filter: { source: 'cli' } }, [...HOLDS, ...KEEPS, FLOOR, [() => true, 'archive selected']]],
  [
    { kind: 'gc', filter: {}, emptyMs: DAY_MS, trivialMs: DAY_MS, trivialMaxMessages: 5 },
    [...HOLDS, TAGGED, [(row) => row.slight && !row.young, 'remove trivial'], FLOOR, [() => true, 'keep not-expired']],
  ],
  [
    { kind: 'gc', filter: {}, trivialMs: HOUR_MS },
    [...HOLDS, TAGGED, [(row) => row.slight, 'remove trivial'], FLOOR, [() => true, 'keep not-expired']],
  ],
  [
    { kind: 'gc', filter: {} },
    [...HOLDS, ...KEEPS, [(row) => row.slight, 'remove trivial'], FLOOR, [() => true, 'keep not-expired']],
  ],
];

describe('the fate of one session', () => {
  it('is as the table says under the policy, in all 8192 cases', () => {
    const names = [...FACTS, ...RULES];
    expect(disagreements({ kind: 'policy' }, POLICY_TABLE, names)).toEqual([]);
    expect(new Set(rowsOf(names).map((row) => expected(POLICY_TABLE, row))).size).toBe(POLICY_TABLE.length);
  });

  it.each(REQUESTS)('is as the table says for %o, in all 1024 cases', (request, table) => {
    expect(disagreements(request, table, FACTS)).toEqual([]);
  });
});

function disagreements(request: PlanRequest, table: Table, names: readonly (keyof Row)[]): unknown[] {
  return rowsOf(names).flatMap((row) => {
    const found = fateOf(row, request);
    return found === expected(table, row) ? [] : [{ row, found, expected: expected(table, row) }];
  });
}

function expected(table: Table, row: Row): string | undefined {
  return table.find(([when]) => when(row))?.[1];
}

function rowsOf(names: readonly (keyof Row)[]): Row[] {
  const all = [...FACTS, ...RULES];
  return Array.from(
    { length: 2 ** names.length },
    (_, bits) =>
      Object.fromEntries(
        all.map((name) => [name, ((bits >> names.indexOf(name)) & 1) === 1 && names.includes(name)]),
      ) as Row,
  );
}

function fateOf(row: Row, request: PlanRequest): string {
  // A newer session takes the one place that `keepLast` gives in the group.
  const newer = aSession('newer', { lastActiveAt: NOW - HOUR_MS, ...(row.newest && { workdir: '/elsewhere' }) });
  const inventory = anInventory({ sessions: [sessionOf(row), newer] });
  const plan = planRetention(inventory, { policy: policyOf(row), now: NOW, request });
  const decision = plan.decisions.find(({ item }) => item.id === 'it');
  return `${decision?.action} ${decision?.reason}`;
}

function sessionOf(row: Row): SessionItem {
  const ageMs = row.young ? 12 * HOUR_MS : 100 * DAY_MS;
  const { endedAt, ...session } = aSession('it', {
    lastActiveAt: row.future ? NOW + 1 : NOW - ageMs,
    active: row.active,
    ...(row.routed && { routed: true }),
    pinned: row.pinned,
    tags: row.tagged ? ['keep'] : ['other'],
    messageCount: row.slight ? 2 : 40,
    bytes: { rows: 10, transcript: 20, dumps: 0, other: 0 },
    ...(row.unreadable && { unreadable: true }),
  });
  return { ...session, ...(!row.open && endedAt !== undefined && { endedAt }) };
}

function policyOf(row: Row): Policy {
  const limit = (on: boolean) => (on ? 30 * DAY_MS : undefined);
  return aPolicy({
    retentionMs: limit(row.retention),
    archiveAfterMs: limit(row.archive),
    transcriptRetentionMs: limit(row.transcripts),
  });
}
