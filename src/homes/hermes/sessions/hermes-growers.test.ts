import { describe, expect, it } from 'vitest';
import { classOf, sumClasses } from './hermes-growers.ts';

describe('the sorts of things in a Hermes home', () => {
  it.each([
    ['state.db', 'database'],
    ['state.db-wal', 'database'],
    ['state.db.malformed-backup-20260101_000000-wal', 'malformed-backup'],
    ['state.db.zeroed-20260101_000000-42-1.bak', 'zeroed-database'],
    ['state.db.pre-clean-markers-backup-1', 'marker-backup'],
    ['state.db.fts_rebuild.lock', 'lock'],
    ['.checkpoints.lock', 'lock'],
    ['checkpoints/store/HEAD', 'checkpoints'],
    ['cron/output/job/2026-01-01_00-00-00.md', 'cron-output'],
    ['cron/usage_audit.jsonl', 'cron-audit'],
    ['cron/jobs.json', 'cron'],
    ['cron/executions.db-wal', 'cron'],
    ['logs/subagent-timeout-1.log', 'subagent-log'],
    ['logs/agent.log.1', 'log'],
    ['cache/images/a/b.png', 'media-cache'],
    ['cache/delegation/live/x', 'work-cache'],
    ['kanban/boards/one.db', 'other-database'],
    ['pending_messages/1.json', 'pending-message'],
    ['.update_check', 'runtime'],
    ['config.yaml', 'settings'],
    ['profiles/second/state.db', 'profile'],
  ])('knows %s as %s', (path, name) => {
    expect(classOf(path)).toBe(name);
  });

  it.each(['state.db2', 'state.db.bak', 'my-state.db', 'cron/mine.txt', 'cache/other/x', 'x/state.db', 'skills'])(
    'does not know %s',
    (path) => {
      expect(classOf(path)).toBeUndefined();
    },
  );

  it('are added up by sort, with the newest time', () => {
    const entry = { kind: 'file', path: '', sizeBytes: 1, mode: 0, linkCount: 1, inode: 1 } as const;
    const sum = sumClasses();
    sum.add('log', { ...entry, diskBytes: 10, modifiedAt: 5 });
    sum.add('log', { ...entry, diskBytes: 20, modifiedAt: 3 });
    sum.add('spawn-tree', { ...entry, diskBytes: 1, modifiedAt: 1 });
    expect(sum.sums()).toEqual([
      { name: 'log', files: 2, sizeBytes: 30, newestAt: 5, unbounded: false },
      { name: 'spawn-tree', files: 1, sizeBytes: 1, newestAt: 1, unbounded: true },
    ]);
  });
});
