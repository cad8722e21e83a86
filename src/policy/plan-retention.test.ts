import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anArchive, anOpenSession, aPolicy, aSession, aStray, aTrash } from '../../test/support/inventories.ts';
import { planLines, planOf } from '../../test/support/plans.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';

const daysAgo = (days: number) => NOW - days * DAY_MS;

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
    expect(planLines(planOf(given, { policy }))).toMatchInlineSnapshot(`
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
      session crashed: keep, open
      session hello: remove, trivial
      session last-week: keep, not-expired
      session nothing-said: remove, empty
      session still-open: keep, open
      session today: keep, young
      session clock-was-wrong: keep, future"
    `);
  });

  it('does not take a session in which an agent printed for an empty one, though nobody said anything', () => {
    const quiet = { messageCount: 0, lastActiveAt: daysAgo(8) };
    const given = {
      sessions: [
        aSession('said-nothing', quiet),
        aSession('said-little', { ...quiet, messageCount: 1, outputCount: 2 }),
        aSession('printed', { ...quiet, outputCount: 40 }),
      ],
    };
    expect(planLines(planOf(given))).toMatchInlineSnapshot(`
      "session printed: keep, keep-last
      session said-little: remove, trivial
      session said-nothing: remove, empty"
    `);
    const request = { kind: 'prune', filter: { maxMessages: 2 }, part: 'all' } as const;
    expect(planLines(planOf(given, { request }))).toMatchInlineSnapshot(`
      "session printed: keep, not-selected
      session said-little: keep, not-selected
      session said-nothing: remove, selected"
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
    const made = planOf(given, { policy });
    expect(planLines(made)).toMatchInlineSnapshot(`
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
    expect(planLines(planOf(given))).toMatchInlineSnapshot(`
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
    expect(planLines(planOf(given, { policy }))).toMatchInlineSnapshot(`
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
    expect(planLines(planOf({ sessions }, { policy: aPolicy({}, { bySource }) }))).toMatchInlineSnapshot(`
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
      const { decisions } = planOf({ sessions }, { policy: aPolicy({}, { bySource }) });
      return decisions.slice(0, 2).map(({ reason }) => reason);
    };
    for (const other of ['api', 'bot']) expect(reasons('cron', other)).toEqual(reasons(other, 'cron'));
    expect(reasons('cron', 'cli')).toEqual(['retention', 'retention']);
    expect(reasons('cron', 'api')).toEqual(['not-expired', 'not-expired']);
    expect(reasons('bot', 'cron')).toEqual(['tagged', 'lineage-kept']);
  });
});

describe('an age', () => {
  it('is reached at the very millisecond', () => {
    const at = (lastActiveAt: number) =>
      planOf({ sessions: [aSession('it', { lastActiveAt }), aSession('newer', { lastActiveAt: NOW })] }).decisions[0]
        ?.reason;
    expect([at(daysAgo(90) + 1), at(daysAgo(90))]).toEqual(['not-expired', 'retention']);
  });

  it('of trash is reached at the very millisecond too', () => {
    const at = (now: number) => planOf({ trash: [aTrash('run', { expiresAt: NOW })] }, { now }).decisions[0]?.reason;
    expect([at(NOW - 1), at(NOW)]).toEqual(['in-grace', 'trash-expired']);
  });

  it('counts from the last activity, not from the end', () => {
    const sessions = [aSession('it', { endedAt: NOW }), aSession('newer', { lastActiveAt: NOW })];
    expect(planOf({ sessions }).decisions[0]?.reason).toBe('retention');
  });
});

describe('a doubt', () => {
  it('is told in words', () => {
    expect(planOf({ doubts: ['activity-unknown', 'clock-suspect'] }).notes).toEqual([
      'Nothing is removed, because it is not known which sessions are in use.',
      'Nothing goes because of its age, because the clock of this machine may be wrong. Set it. If it is right, it is believed once the home has been used for a day.',
    ]);
  });
});

describe('a very large home', () => {
  it('is planned without deep recursion, however long its conversations are', () => {
    const sessions = Array.from({ length: 50_000 }, (_, at) =>
      aSession(`s${at}`, at === 0 ? {} : { parentId: `s${at - 1}`, childKind: 'continuation' }),
    );
    const newer = aSession('newer', { lastActiveAt: NOW });
    const { decisions } = planOf({ sessions: [...sessions, newer] });
    expect(decisions.filter(({ reason }) => reason === 'retention')).toHaveLength(50_000);
  });
});
