import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import {
  anArchive,
  anInventory,
  anOpenSession,
  aPolicy,
  aSession,
  aStray,
  aTrash,
} from '../../test/support/inventories.ts';
import type { Inventory } from '../core/inventory.ts';
import type { Plan, SessionFilter } from '../core/plan.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';
import { planRetention } from './plan-retention.ts';
import type { PlanOptions } from './rule-context.ts';

const daysAgo = (days: number) => NOW - days * DAY_MS;

function plan(given: Partial<Inventory>, options: Partial<PlanOptions> = {}): Plan {
  return planRetention(anInventory(given), { policy: aPolicy(), now: NOW, ...options });
}

/** One line for each decision, in the order of the plan. */
function lines({ decisions }: Plan): string {
  return decisions.map(({ item, action, reason }) => `${item.kind} ${item.id}: ${action}, ${reason}`).join('\n');
}

describe('a plan under the usual policy', () => {
  it('cuts back a home that holds a little of everything', () => {
    const given = {
      sessions: [
        aSession('today', { lastActiveAt: NOW - HOUR_MS }),
        aSession('last-week', { lastActiveAt: daysAgo(8) }),
        aSession('last-spring'),
        aSession('pinned', { pinned: true }),
        aSession('tagged', { tags: ['keep'] }),
        aSession('in-use', { active: true }),
        aSession('broken', { unreadable: true }),
        aSession('clock-was-wrong', { lastActiveAt: NOW + DAY_MS }),
        aSession('nothing-said', { messageCount: 0, lastActiveAt: daysAgo(2) }),
        aSession('hello', { messageCount: 3, lastActiveAt: daysAgo(8) }),
        aSession('only-one-here', { workdir: '/abandoned' }),
        anOpenSession('still-open', { lastActiveAt: NOW - 20 * HOUR_MS }),
        anOpenSession('crashed', { lastActiveAt: daysAgo(95) }),
      ],
      strays: [
        aStray('orphan', 'sessions/ab/x'),
        aStray('debris', 'x.tmp'),
        aStray('debris', 'y.tmp', { lastActiveAt: NOW }),
      ],
      trash: [aTrash('run-1'), aTrash('run-2', { removedAt: daysAgo(1) })],
      archives: [anArchive('long-ago'), anArchive('dear', { pinned: true })],
    };
    const policy = aPolicy({}, { archive: { retentionMs: 50 * DAY_MS } });
    expect(lines(plan(given, { policy }))).toMatchInlineSnapshot(`
      "trash run-1: purge, trash-expired
      trash run-2: keep, in-grace
      debris x.tmp: purge, debris
      debris y.tmp: keep, young
      orphan sessions/ab/x: remove, orphan
      archive dear: keep, pinned
      archive long-ago: remove, archive-retention
      session broken: keep, unreadable
      session in-use: keep, active
      session last-spring: remove, retention
      session only-one-here: keep, keep-last
      session pinned: keep, pinned
      session tagged: keep, tagged
      session crashed: remove, retention
      session hello: remove, trivial
      session last-week: keep, not-expired
      session nothing-said: remove, empty
      session still-open: keep, open
      session today: keep, young
      session clock-was-wrong: keep, future"
    `);
  });

  it('archives before it removes, and drops files before it archives', () => {
    const bytes = { rows: 10, transcript: 20, dumps: 30, other: 0 };
    const policy = aPolicy(
      { archiveAfterMs: 60 * DAY_MS, transcriptRetentionMs: 30 * DAY_MS },
      { dumps: { maxAgeMs: 14 * DAY_MS } },
    );
    const given = {
      sessions: [
        ...[100, 70, 40, 20, 5].map((days) => aSession(`${days}-days`, { lastActiveAt: daysAgo(days), bytes })),
        aSession('40-days-no-files', { lastActiveAt: daysAgo(40) }),
        aSession('newest-but-old', { lastActiveAt: daysAgo(100), bytes, workdir: '/quiet' }),
      ],
    };
    const made = plan(given, { policy });
    expect(lines(made)).toMatchInlineSnapshot(`
      "session 100-days: remove, retention
      session newest-but-old: drop-files, transcript-retention
      session 70-days: archive, archive-age
      session 40-days: drop-files, transcript-retention
      session 40-days-no-files: keep, not-expired
      session 20-days: drop-dumps, dump-age
      session 5-days: keep, keep-last"
    `);
    expect(made.decisions.filter(({ action }) => action.startsWith('drop')).map(({ sizeBytes }) => sizeBytes)).toEqual([
      50, 50, 30,
    ]);
  });

  it('ages a conversation by its newest part, and removes or keeps it whole', () => {
    const next = (parentId: string) => ({ parentId, childKind: 'continuation' as const });
    const given = {
      sessions: [
        aSession('a1', { lastActiveAt: daysAgo(200) }),
        aSession('a2', { lastActiveAt: daysAgo(100), ...next('a1') }),
        aSession('b1', { lastActiveAt: daysAgo(200) }),
        aSession('b2', { lastActiveAt: daysAgo(50), ...next('b1') }),
        aSession('c1', { lastActiveAt: daysAgo(200) }),
        aSession('c2', { lastActiveAt: daysAgo(150), pinned: true, ...next('c1') }),
        aSession('d1', { lastActiveAt: daysAgo(200), messageCount: 0 }),
        aSession('d2', { lastActiveAt: daysAgo(20), ...next('d1') }),
        aSession('e-branch', { lastActiveAt: daysAgo(100), parentId: 'c2', childKind: 'branch' }),
      ],
    };
    expect(lines(plan(given))).toMatchInlineSnapshot(`
      "session c2: keep, pinned
      session c1: keep, lineage-pinned
      session a2: remove, retention
      session a1: remove, retention
      session e-branch: remove, retention
      session b2: keep, not-expired
      session b1: keep, not-expired
      session d2: keep, keep-last
      session d1: keep, keep-last"
    `);
  });

  it('keeps the most recently used of a source beyond its largest number, not counting what goes anyway', () => {
    const given = {
      sessions: [
        ...[1, 2, 3, 4, 5].map((at) => aSession(`cron-${at}`, { source: 'cron', lastActiveAt: daysAgo(10 + at) })),
        aSession('cron-empty', { source: 'cron', messageCount: 0, lastActiveAt: daysAgo(3) }),
        aSession('cron-pinned', { source: 'cron', pinned: true, lastActiveAt: daysAgo(60) }),
        aSession('cli-1', { lastActiveAt: daysAgo(30) }),
      ],
    };
    const policy = aPolicy({}, { bySource: { cron: { maxSessions: 3 } } });
    expect(lines(plan(given, { policy }))).toMatchInlineSnapshot(`
      "session cron-pinned: keep, pinned
      session cli-1: keep, keep-last
      session cron-5: remove, max-sessions
      session cron-4: remove, max-sessions
      session cron-3: keep, not-expired
      session cron-2: keep, not-expired
      session cron-1: keep, keep-last
      session cron-empty: remove, empty"
    `);
  });

  it('takes rules of a source over the general ones, and switches one off where it says so', () => {
    const sessions = ['cli', 'cron', 'api'].flatMap((source) => [
      aSession(`${source}-old`, { source }),
      aSession(`${source}-new`, { source, lastActiveAt: daysAgo(10) }),
      aSession(`${source}-newest`, { source, lastActiveAt: daysAgo(5) }),
    ]);
    const bySource = { cron: { retentionMs: 7 * DAY_MS }, api: { retentionMs: undefined } };
    expect(lines(plan({ sessions }, { policy: aPolicy({}, { bySource }) }))).toMatchInlineSnapshot(`
      "session api-old: keep, not-expired
      session cli-old: remove, retention
      session cron-old: remove, retention
      session api-new: keep, not-expired
      session cli-new: keep, not-expired
      session cron-new: remove, retention
      session api-newest: keep, keep-last
      session cli-newest: keep, keep-last
      session cron-newest: keep, keep-last"
    `);
  });
});

describe('a conversation across sources', () => {
  it('keeps whatever the rules of one of them keep', () => {
    const reasons = (first: string, second: string) => {
      const sessions = [
        aSession('one', { source: first }),
        aSession('two', { source: second, parentId: 'one', childKind: 'continuation', tags: ['dear'] }),
        ...[first, second].map((source) => aSession(`newer-${source}`, { source, lastActiveAt: NOW })),
      ];
      const bySource = {
        cron: { retentionMs: 7 * DAY_MS },
        api: { retentionMs: undefined },
        bot: { keepTags: ['dear'] },
      };
      const { decisions } = plan({ sessions }, { policy: aPolicy({}, { bySource }) });
      return decisions.slice(0, 2).map(({ reason }) => reason);
    };
    for (const other of ['api', 'bot']) expect(reasons('cron', other)).toEqual(reasons(other, 'cron'));
    expect(reasons('cron', 'cli')).toEqual(['retention', 'retention']);
    expect(reasons('cron', 'api')).toEqual(['not-expired', 'not-expired']);
    expect(reasons('bot', 'cron')).toEqual(['tagged', 'lineage-kept']);
  });
});

describe('an open session', () => {
  it('is held until it counts as abandoned, also when it is named, and ages from then', () => {
    const sessions = [anOpenSession('it', { lastActiveAt: NOW - 23 * HOUR_MS, messageCount: 0 })];
    const request = { kind: 'delete', ids: ['it'] } as const;
    const reasons = [0, 1, 24, 25].map((hours) => {
      const now = NOW + hours * HOUR_MS;
      return [plan({ sessions }, { now }), plan({ sessions }, { now, request })].map(
        ({ decisions }) => decisions[0]?.reason,
      );
    });
    expect(reasons).toEqual([
      ['open', 'open'],
      ['young', 'named'],
      ['young', 'named'],
      ['empty', 'named'],
    ]);
  });

  it('is never taken for abandoned while the clock is in doubt', () => {
    const given = { sessions: [anOpenSession('it')], doubts: ['clock-suspect' as const] };
    expect(plan(given, { request: { kind: 'delete', ids: ['it'] } }).decisions[0]?.reason).toBe('open');
  });
});

describe('an age', () => {
  it('is reached at the very millisecond', () => {
    const at = (lastActiveAt: number) =>
      plan({ sessions: [aSession('it', { lastActiveAt }), aSession('newer', { lastActiveAt: NOW })] }).decisions[0]
        ?.reason;
    expect([at(daysAgo(90) + 1), at(daysAgo(90))]).toEqual(['not-expired', 'retention']);
  });

  it('of trash is reached at the very millisecond too', () => {
    const at = (now: number) => plan({ trash: [aTrash('run', { expiresAt: NOW })] }, { now }).decisions[0]?.reason;
    expect([at(NOW - 1), at(NOW)]).toEqual(['in-grace', 'trash-expired']);
  });

  it('counts from the last activity, not from the end', () => {
    const sessions = [aSession('it', { endedAt: NOW }), aSession('newer', { lastActiveAt: NOW })];
    expect(plan({ sessions }).decisions[0]?.reason).toBe('retention');
  });
});

describe('a request by hand', () => {
  it('keeps a conversation of which only a part was named, and says so', () => {
    const sessions = [
      aSession('first'),
      aSession('second', { parentId: 'first', childKind: 'continuation' }),
      aSession('child', { parentId: 'first', childKind: 'subagent' }),
    ];
    const ask = (...ids: string[]) => plan({ sessions }, { request: { kind: 'delete', ids } });
    expect(lines(ask('first'))).toMatchInlineSnapshot(`
      "session child: keep, not-selected
      session second: keep, not-selected
      session first: keep, lineage-kept"
    `);
    expect(ask('first').notes).toEqual([
      '1 session stays because other sessions of the same conversation do. A conversation goes only as a whole.',
    ]);
    expect(lines(ask('first', 'second'))).toMatchInlineSnapshot(`
      "session child: keep, not-selected
      session second: remove, named
      session first: remove, named"
    `);
    expect(ask('first', 'second').notes).toEqual([]);
  });

  it('reaches archived sessions by name', () => {
    const given = { archives: [anArchive('a'), anArchive('ab'), anArchive('p', { pinned: true })] };
    expect(lines(plan(given, { request: { kind: 'delete', ids: ['a', 'p'] } }))).toMatchInlineSnapshot(`
      "archive a: remove, named
      archive ab: keep, not-selected
      archive p: keep, pinned"
    `);
  });

  it('falls back on the rule of the policy without a filter and an age, and says which', () => {
    const sessions = [aSession('old'), aSession('new', { lastActiveAt: daysAgo(5) })];
    const all = plan({ sessions }, { request: { kind: 'prune', filter: {}, part: 'all' } });
    expect(all.decisions.map(({ reason }) => reason)).toEqual(['retention', 'keep-last']);
    expect(all.notes).toEqual(['No age and no filter were given, so the configured sessions.retention_days decides.']);
    const files = plan({ sessions }, { request: { kind: 'prune', filter: {}, part: 'files' } });
    expect(files.notes[0]).toContain('sessions.transcript_retention_days');
    const archive = plan({ sessions }, { request: { kind: 'archive', filter: {} } });
    expect(archive.notes[0]).toContain('sessions.archive_after_days');
  });

  it('takes everything but a title as a whole word, never as the beginning of one', () => {
    const facts = { source: 'cli', workdir: '/projects/app', model: 'm1', endReason: 'done' };
    const sessions = [aSession('it', facts), aSession('newest', { ...facts, lastActiveAt: daysAgo(2) })];
    const ask = (filter: SessionFilter) => {
      const { decisions } = plan({ sessions }, { request: { kind: 'prune', filter, part: 'all' } });
      return decisions.find(({ item }) => item.id === 'it')?.reason;
    };
    const whole: readonly SessionFilter[] = [
      { source: 'cli' },
      { workdir: '/projects/app' },
      { model: 'm1' },
      { endedBy: 'done' },
    ];
    for (const filter of whole) {
      expect(ask(filter)).toBe('selected');
      for (const [name, value] of Object.entries(filter)) {
        for (const other of [String(value).slice(0, -1), `${value}x`, ''])
          expect(ask({ [name]: other }), `${name} ${other}`).toBe('not-selected');
      }
    }
  });

  it('takes an empty part of a title for no title at all', () => {
    const sessions = [aSession('old', { title: 'Disks' }), aSession('new', { lastActiveAt: daysAgo(5) })];
    const ask = (title: string) => plan({ sessions }, { request: { kind: 'prune', filter: { title }, part: 'all' } });
    expect(ask('DISK').decisions[0]?.action).toBe('remove');
    expect(ask('').decisions[0]?.reason).toBe('not-selected');
  });
});

describe('a doubt', () => {
  it('is told in words', () => {
    expect(plan({ doubts: ['activity-unknown', 'clock-suspect'] }).notes).toEqual([
      'Nothing is removed, because it is not known which sessions are in use.',
      'Nothing is removed because of its age, because the clock may be wrong.',
    ]);
  });
});

describe('a very large home', () => {
  it('is planned without deep recursion, however long its conversations are', () => {
    const sessions = Array.from({ length: 50_000 }, (_, at) =>
      aSession(`s${at}`, at === 0 ? {} : { parentId: `s${at - 1}`, childKind: 'continuation' }),
    );
    const newer = aSession('newer', { lastActiveAt: NOW });
    const { decisions } = plan({ sessions: [...sessions, newer] });
    expect(decisions.filter(({ reason }) => reason === 'retention')).toHaveLength(50_000);
  });
});
