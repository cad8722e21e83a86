import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { putDatabases } from '../../../test/support/codex-databases.ts';
import { codexId, putRollout, type RolloutSpec, rolloutPath } from '../../../test/support/codex-home.ts';
import { CODEX_IDS, codexScene } from '../../../test/support/codex-scene.ts';
import { collect } from '../../../test/support/collect.ts';
import { fileTestedHome } from '../../../test/support/file-home-conformance.ts';
import { dumpFileHome, FILE_NOW, putFile } from '../../../test/support/file-home-scene.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { SortedHome } from '../../keeping/file-home/file-agent.ts';
import { walkHomeTree } from '../../keeping/file-home/walk-home-tree.ts';
import { codexAgent } from './codex-agent.ts';
import { codexKind } from './codex-kind.ts';

const ONE: RolloutSpec = { id: codexId('1') };

async function sorted(home: string): Promise<SortedHome> {
  return codexAgent().sort(await walkHomeTree(home), FILE_NOW);
}

describe('a home of Codex', () => {
  it('tells of each thread what its rollouts say, each call once', async () => {
    await using home = await fileTestedHome(codexKind, codexScene);
    const all = new Map((await collect(home.opened.store.list())).map((facts) => [facts.id, facts]));
    const { plain, base, fork, reverted, parent, child, archived, pinned, damaged } = CODEX_IDS;
    expect(all.get(plain)).toMatchObject({
      title: 'About the greeter',
      workdir: '/home/ada/work/greeter',
      pinned: false,
    });
    expect(all.get(fork)).toMatchObject({ title: 'Three', parentId: base, childKind: 'branch', messageCount: 2 });
    expect(all.get(base)).toMatchObject({ title: 'The base', hold: { kind: 'referenced', by: fork } });
    expect(all.get(child)).toMatchObject({ parentId: parent, childKind: 'subagent' });
    expect(all.get(archived)).toMatchObject({ title: 'What does it do?', tags: ['codex:archived'], messageCount: 2 });
    expect(all.get(pinned)).toMatchObject({ pinned: true });
    expect(all.get(damaged)).toMatchObject({ messageCount: 0 });
    // What was said before the thread was taken back, and after it.
    expect(all.get(reverted)).toMatchObject({ title: 'First', messageCount: 6 });
    expect(all.get(reverted)?.parentId).toBeUndefined();
    const tokens = (id: string) => all.get(id)?.usage.inputTokens;
    expect([base, fork, reverted, CODEX_IDS.both].map(tokens)).toEqual([2000, 1000, 3000, 1000]);
    expect(all.get(base)?.startedAt).toBeLessThan(all.get(fork)?.startedAt ?? 0);
  });

  it('is looked at without a trace, also where all rows stand in logs of databases', async () => {
    await using home = await fileTestedHome(codexKind, codexScene);
    const bytes = () => dumpFileHome(home.path);
    const before = bytes();
    expect(before.some((line) => line.startsWith('state_5.sqlite-wal '))).toBe(true);
    await home.driver.scan();
    await collect(home.opened.store.list());
    await codexKind.detect(home.path);
    expect(bytes()).toEqual(before);
  });

  it('says of what it does not know that it is unknown', async () => {
    await using home = await fileTestedHome(codexKind, codexScene);
    const { files = [], problems } = await home.driver.scan();
    const unknown = files.find(({ name }) => name === 'unknown');
    expect(unknown?.files).toBe(2);
    expect(problems.filter(({ kind }) => kind === 'unknown-file').map(({ subject }) => subject)).toEqual([
      'mine',
      'sessions',
    ]);
  });

  it('has both rollouts of a thread, and what is beside them', async () => {
    await using home = await fileTestedHome(codexKind, codexScene);
    const names = async (id: string) =>
      (await home.opened.files(id)).map(({ path }) =>
        path.slice(home.path.length + 1).replace(/^sessions.*rollout/, '…'),
      );
    expect(await names(CODEX_IDS.reverted)).toHaveLength(2);
    expect(await names(CODEX_IDS.both)).toEqual([
      `…-2026-08-22T12-00-00-${CODEX_IDS.both}.jsonl`,
      `…-2026-08-22T12-00-00-${CODEX_IDS.both}.jsonl.zst`,
    ]);
    expect((await names(CODEX_IDS.plain)).slice(1).toSorted()).toEqual([
      `generated_images/${CODEX_IDS.plain}/ig_1.png`,
      `shell_snapshots/${CODEX_IDS.plain}.1794728800710390771.sh`,
    ]);
  });
});

describe('a rollout that may need any other', () => {
  it.each<readonly [string, (home: string) => void]>([
    ['was written in a way that is not known', (home) => putRollout(home, { id: codexId('2'), historyMode: 'woven' })],
    [
      'names what it needs in a way that is not known',
      (home) => {
        const payload = { id: codexId('2'), history_base: { rollout: codexId('1') } };
        putFile(
          home,
          rolloutPath({ id: codexId('2') }),
          `${JSON.stringify({ type: 'session_meta', payload })}\n`,
          1e12,
        );
      },
    ],
    [
      'is compressed and damaged',
      (home) => putFile(home, rolloutPath({ id: codexId('2'), compressed: true }), 'no such format', 1e12),
    ],
    [
      'has a first line of which the end is not found',
      (home) => putFile(home, rolloutPath({ id: codexId('2') }), `{"type":"session_meta"${' '.repeat(9e6)}`, 1e12),
    ],
    ['is behind a link', (home) => symlinkSync(tempDir(), join(home, 'sessions/2025'))],
  ])('keeps all threads while it %s', async (_, put) => {
    const home = tempDir();
    putRollout(home, ONE);
    expect((await sorted(home)).doubts).toEqual([]);
    put(home);
    const { doubts, problems } = await sorted(home);
    expect(doubts).toEqual(['activity-unknown']);
    expect(problems[0]?.hint).toContain('Nothing of this home is removed');
  });
});

describe('whether a thread is in use', () => {
  const hoursAgo = (hours: number) => FILE_NOW - hours * 3_600_000;
  const isActive = async (home: string) => (await sorted(home)).sessions[0]?.active;

  it('is told by when it was written last alone, where Codex has no locks', async () => {
    const home = tempDir();
    putRollout(home, ONE, hoursAgo(23));
    expect(await isActive(home)).toBe(true);
    putRollout(home, ONE, hoursAgo(25));
    expect(await isActive(home)).toBe(false);
  });

  it('is told within an hour where it has', async () => {
    const home = tempDir();
    putRollout(home, ONE, hoursAgo(2));
    putFile(home, 'thread-writer-locks/.coordination.lock', '');
    expect(await isActive(home)).toBe(false);
    putRollout(home, ONE, hoursAgo(0.5));
    expect(await isActive(home)).toBe(true);
  });
});

describe('a home of Codex that is only shown', () => {
  const reasonsOf = async (home: string) => (await codexKind.detect(home))?.reasons.map(({ message }) => message);
  const build = () => {
    const home = tempDir();
    putRollout(home, ONE);
    putDatabases(home, [{ id: ONE.id, path: rolloutPath(ONE), title: 'One' }]);
    return home;
  };

  it('has a database of a number or a name that is not known', async () => {
    const home = build();
    expect(await reasonsOf(home)).toEqual([]);
    writeFileSync(join(home, 'state_4.sqlite'), 'of an earlier version');
    expect(await reasonsOf(home)).toEqual([]);
    writeFileSync(join(home, 'dreams_1.sqlite'), '');
    renameSync(join(home, 'logs_2.sqlite'), join(home, 'logs_3.sqlite'));
    expect(await reasonsOf(home)).toEqual(['dreams_1.sqlite is not known here.', 'logs_3.sqlite is not known here.']);
  });

  it('has a database that cannot be read', async () => {
    const home = build();
    rmSync(join(home, 'queue_1.sqlite-wal'));
    writeFileSync(join(home, 'queue_1.sqlite'), 'no database at all, and longer than the header of one'.repeat(90));
    expect(await reasonsOf(home)).toEqual([expect.stringContaining('queue_1.sqlite cannot be read')]);
  });

  it('has its databases in another folder', async () => {
    const home = tempDir();
    putRollout(home, ONE);
    writeFileSync(join(home, 'config.toml'), 'model = "x"\nsqlite_home = "/srv/databases"\n');
    expect(await reasonsOf(home)).toEqual([expect.stringContaining('in another folder')]);
    writeFileSync(join(home, 'config.toml'), 'model = "x"\n');
    expect(await reasonsOf(home)).toEqual([]);
    mkdirSync(join(home, 'thread-writer-locks'));
    expect(await reasonsOf(home)).toEqual([expect.stringContaining('or gone')]);
  });
});
