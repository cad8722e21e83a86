import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODEX_IDS, codexScene } from '../../../test/support/codex-scene.ts';
import { type FileTestedHome, fileTestedHome } from '../../../test/support/file-home-conformance.ts';
import { FILE_NOW, putFile } from '../../../test/support/file-home-scene.ts';
import { itemsFor, RUN } from '../../kit/homes/tested-home.ts';
import { codexKind } from './codex-kind.ts';
import { guardCodex } from './guard-codex.ts';

/** Holds a lock as another program does, until it is killed. */
async function holdElsewhere(path: string): Promise<ChildProcess> {
  const child = spawn('flock', ['-x', path, 'sh', '-c', 'echo held; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  await once(child.stdout, 'data');
  return child;
}

async function letGo(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await closed;
}

const lockIn = (home: string, name: string) => join(home, 'thread-writer-locks', `${name}.lock`);

async function discardPlain(home: FileTestedHome) {
  const items = await itemsFor(home, [CODEX_IDS.plain], 'remove');
  return (await home.driver.discard(RUN, items)).map(({ status, ...rest }) => ({
    status,
    ...('detail' in rest && { detail: rest.detail }),
  }));
}

describe('what another process of Codex does', () => {
  it('keeps a thread that it has loaded, however long nothing was written', async () => {
    await using home = await fileTestedHome(codexKind, codexScene);
    putFile(home.path, `thread-writer-locks/${CODEX_IDS.plain}.lock`, '');
    const other = await holdElsewhere(lockIn(home.path, CODEX_IDS.plain));
    const { sessions } = await home.driver.scan();
    const activeIds = sessions.filter(({ active }) => active).map(({ id }) => id);
    expect(activeIds).toContain(CODEX_IDS.plain);
    // Its lock file is there as well, and nobody holds it.
    expect(activeIds).not.toContain(CODEX_IDS.stale);
    await letGo(other);
    expect(await discardPlain(home)).toEqual([{ status: 'done' }]);
  });

  it('keeps a thread that it loaded after the removal was planned', async () => {
    await using home = await fileTestedHome(codexKind, codexScene);
    const items = await itemsFor(home, [CODEX_IDS.plain, CODEX_IDS.child], 'remove');
    putFile(home.path, `thread-writer-locks/${CODEX_IDS.plain}.lock`, '');
    const other = await holdElsewhere(lockIn(home.path, CODEX_IDS.plain));
    const outcomes = await home.driver.discard(RUN, items);
    expect(outcomes.map(({ status }) => status)).toEqual(['skipped', 'done']);
    await letGo(other);
  });

  it('waits until a removal is over before it begins with a thread', async () => {
    await using home = await fileTestedHome(codexKind, codexScene);
    const isFree = () => spawnSync('flock', ['-n', lockIn(home.path, '.coordination'), 'true']).status === 0;
    expect(isFree()).toBe(true);
    const guard = await guardCodex(home.path, FILE_NOW);
    expect(isFree()).toBe(false);
    guard[Symbol.dispose]();
    expect(isFree()).toBe(true);
  });

  it('stops removals while it converts rollouts', async () => {
    await using home = await fileTestedHome(codexKind, codexScene);
    const other = await holdElsewhere(join(home.path, '.tmp/rollout-maintenance.lock'));
    expect(await discardPlain(home)).toEqual([
      { status: 'skipped', detail: 'Codex is compressing or converting its rollouts. Try again when it is done.' },
    ]);
    await letGo(other);
    expect(await discardPlain(home)).toEqual([{ status: 'done' }]);
  });
});
