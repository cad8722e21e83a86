import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anArchive, aPolicy, aSession } from '../../test/support/inventories.ts';
import { planLines, planOf } from '../../test/support/plans.ts';
import type { PlanRequest } from '../core/retention/plan.ts';
import type { Policy } from '../core/retention/policy.ts';
import type { SessionFilter } from '../core/sessions/session-filters.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';

const daysAgo = (days: number) => NOW - days * DAY_MS;

describe('a request by hand', () => {
  it('keeps a conversation of which only a part was named, and says so', () => {
    const sessions = [
      aSession('first'),
      aSession('second', { parentId: 'first', childKind: 'continuation' }),
      aSession('child', { parentId: 'first', childKind: 'subagent' }),
    ];
    const ask = (...ids: string[]) => planOf({ sessions }, { request: { kind: 'delete', ids } });
    expect(planLines(ask('first'))).toMatchInlineSnapshot(`
      "session child: keep, not-selected
      session second: keep, not-selected
      session first: keep, lineage-kept"
    `);
    expect(ask('first').notes).toEqual([
      '1 session stays because other sessions of the same conversation do. A conversation goes only as a whole.',
    ]);
    expect(planLines(ask('first', 'second'))).toMatchInlineSnapshot(`
      "session child: keep, not-selected
      session second: remove, named
      session first: remove, named"
    `);
    expect(ask('first', 'second').notes).toEqual([]);
  });

  it('says which setting kept what was asked for, with its value and the way round it', () => {
    const sessions = [
      aSession('old', { workdir: '/a' }),
      aSession('new', { workdir: '/a', lastActiveAt: daysAgo(10) }),
      aSession('tagged', { workdir: '/b', tags: ['keep', 'other'] }),
      aSession('young', { workdir: '/c', lastActiveAt: NOW - HOUR_MS }),
    ];
    const notesOf = (request: PlanRequest) => planOf({ sessions }, { request }).notes;
    const aged = notesOf({ kind: 'prune', filter: {}, before: daysAgo(1), part: 'all' });
    expect(aged).toEqual([
      expect.stringMatching(/^1 session stays because of sessions\.keep_last: 1\. .*--set sessions\.keep_last=never$/),
      expect.stringMatching(/^1 session stays because of sessions\.keep_tags: keep\. .*--remove TAG$/),
    ]);
    const filtered = notesOf({ kind: 'archive', filter: { source: 'cli' } });
    expect(filtered).toContainEqual(
      expect.stringMatching(/^1 session stays because of sessions\.min_age_hours: 24\. .*--older-than/),
    );
    expect(notesOf({ kind: 'prune', filter: {}, before: daysAgo(1), part: 'files' })).not.toContainEqual(
      expect.stringContaining('keep_last'),
    );
    expect(notesOf({ kind: 'delete', ids: ['new', 'tagged'] })).toEqual([expect.stringContaining('keep_tags: keep')]);
    expect(notesOf({ kind: 'policy' })).toEqual([]);
  });

  it('takes the newest too where no floor is wanted, in one source or in all', () => {
    const sessions = [aSession('a'), aSession('b', { source: 'cron' })];
    const request = { kind: 'prune', filter: {}, before: daysAgo(1), part: 'all' } as const;
    const going = (policy: Policy) =>
      planOf({ sessions }, { request, policy }).decisions.flatMap(({ action, item }) =>
        action === 'keep' ? [] : item.id,
      );
    expect(going(aPolicy({ keepLast: 'never' })).toSorted()).toEqual(['a', 'b']);
    expect(going(aPolicy({ keepLast: 1 }, { bySource: { cron: { keepLast: 'never' } } }))).toEqual(['b']);
    expect(going(aPolicy({ keepLast: 'never' }, { bySource: { cron: { keepLast: 1 } } }))).toEqual(['a']);
  });

  it('reaches archived sessions by name', () => {
    const given = { archives: [anArchive('a'), anArchive('ab'), anArchive('p', { pinned: true })] };
    expect(planLines(planOf(given, { request: { kind: 'delete', ids: ['a', 'p'] } }))).toMatchInlineSnapshot(`
      "archive a: remove, named
      archive ab: keep, not-selected
      archive p: keep, pinned"
    `);
  });

  it('falls back on the rule of the policy without a filter and an age, and says which', () => {
    const sessions = [aSession('old'), aSession('new', { lastActiveAt: daysAgo(5) })];
    const all = planOf({ sessions }, { request: { kind: 'prune', filter: {}, part: 'all' } });
    expect(all.decisions.map(({ reason }) => reason)).toEqual(['retention', 'keep-last']);
    expect(all.notes).toEqual(['No age and no filter were given, so the configured sessions.retention_days decides.']);
    const files = planOf({ sessions }, { request: { kind: 'prune', filter: {}, part: 'files' } });
    expect(files.notes[0]).toContain('sessions.transcript_retention_days');
    const archive = planOf({ sessions }, { request: { kind: 'archive', filter: {} } });
    expect(archive.notes[0]).toContain('sessions.archive_after_days');
  });

  it('takes everything but a title as a whole word, never as the beginning of one', () => {
    const facts = { source: 'cli', workdir: '/projects/app', model: 'm1', endReason: 'done' };
    const sessions = [aSession('it', facts), aSession('newest', { ...facts, lastActiveAt: daysAgo(2) })];
    const ask = (filter: SessionFilter) => {
      const { decisions } = planOf({ sessions }, { request: { kind: 'prune', filter, part: 'all' } });
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
        for (const other of [String(value).slice(0, -1), `${String(value)}x`, ''])
          expect(ask({ [name]: other }), `${name} ${other}`).toBe('not-selected');
      }
    }
  });

  it('takes an empty part of a title for no title at all', () => {
    const sessions = [aSession('old', { title: 'Disks' }), aSession('new', { lastActiveAt: daysAgo(5) })];
    const ask = (title: string) => planOf({ sessions }, { request: { kind: 'prune', filter: { title }, part: 'all' } });
    expect(ask('DISK').decisions[0]?.action).toBe('remove');
    expect(ask('').decisions[0]?.reason).toBe('not-selected');
  });
});
