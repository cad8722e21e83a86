import { join } from 'node:path';
import { mkdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../test/support/claude-home.ts';
import {
  type CopilotSpec,
  copilotId,
  copilotScene,
  holdCopilot,
  markCopilot,
  putCopilot,
} from '../../../test/support/copilot-scene.ts';
import { FILE_NOW, putFile } from '../../../test/support/file-home-scene.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS } from '../../core/time.ts';
import type { FoundSession } from '../../keeping/file-home/file-agent.ts';
import { copilotAgent } from './copilot-agent.ts';
import { copilotKind } from './copilot-kind.ts';

const ONE: CopilotSpec = { id: copilotId('1'), name: 'It is "mine"' };
const OLD = FILE_NOW - 40 * DAY_MS;

function homeWithOne(): string {
  const home = join(tempDir(), 'home');
  putCopilot(home, ONE);
  return home;
}

async function found(home: string): Promise<FoundSession> {
  const [session] = (await copilotAgent().sort(treeOf(home), FILE_NOW)).sessions;
  if (session === undefined) throw new Error('no session');
  return session;
}

/** What its guard says of a session that was free when it was looked at. */
async function obstacle(home: string, session: FoundSession): Promise<string | undefined> {
  using guard = await copilotAgent().guard(home, FILE_NOW);
  return guard.obstacle(session);
}

describe('a sorted home of Copilot CLI', () => {
  it('has every file in exactly one place, and all of a session together', async () => {
    const home = join(tempDir(), 'home');
    copilotScene.build(home);
    const { sessions, strays, others } = await copilotAgent().sort(treeOf(home), FILE_NOW);
    const files = [
      ...sessions.flatMap(({ transcripts, parts }) => [...transcripts, ...parts.flatMap((part) => part.files)]),
      ...strays.flatMap((stray) => stray.files),
      ...others.flatMap((other) => other.files),
    ];
    expect(files.map(({ path }) => path).toSorted()).toEqual([...treeOf(home).files.keys()].toSorted());
    const below = `session-state/${ONE.id}`;
    expect(
      sessions
        .find(({ id }) => id === ONE.id)
        ?.parts.map(({ path }) => path)
        .toSorted(),
    ).toEqual(
      ['.workspace-fork.lock', 'checkpoints', 'research', 'rewind-file-snapshots', 'workspace.yaml'].map(
        (name) => `${below}/${name}`,
      ),
    );
    expect(others.find(({ name }) => name === 'unknown')?.files.map(({ path }) => path)).toEqual([
      'session-state/notes.txt',
      'surprise.bin',
    ]);
    expect(others.find(({ name }) => name === 'session-without-events')?.files).toHaveLength(1);
  });

  it('says of a session what its events and its note say', async () => {
    const home = homeWithOne();
    expect(await copilotAgent().describe(home, await found(home))).toMatchObject({
      id: ONE.id,
      title: 'It is "mine"',
      workdir: '/home/ada/greeter',
      messageCount: 2,
      lastActiveAt: OLD,
    });
  });
});

describe('a home of Copilot CLI', () => {
  it('is one for as long as sessions can come back to it', async () => {
    const home = homeWithOne();
    expect(await copilotKind.detect(home)).toMatchObject({ kind: 'copilot', reasons: [] });
    rmSync(join(home, 'session-state', ONE.id), { recursive: true });
    expect(await copilotKind.detect(home)).toBeUndefined();
    mkdirSync(join(home, '.coppice'));
    expect(await copilotKind.detect(home)).toMatchObject({ kind: 'copilot' });
    rmSync(join(home, 'session-state'), { recursive: true });
    expect(await copilotKind.detect(home)).toBeUndefined();
  });
});

describe('a session that a program of Copilot CLI has', () => {
  it('is one whose process runs, and none whose process has ended', async () => {
    const home = homeWithOne();
    const session = await found(home);
    expect([session.active, await obstacle(home, session)]).toEqual([false, undefined]);
    markCopilot(home, ONE.id, { pid: 2 ** 22 + 1, at: OLD, hold: false });
    expect([(await found(home)).active, await obstacle(home, session)]).toEqual([false, undefined]);
    // Its mark is younger than the process.
    markCopilot(home, ONE.id, { pid: process.pid, at: Date.now(), hold: false });
    expect(await obstacle(home, session)).toBe('Copilot CLI has it open.');
  });

  it.runIf(process.platform === 'linux')('is none where a later process has the number', async () => {
    const home = homeWithOne();
    markCopilot(home, ONE.id, { pid: process.pid, at: OLD, hold: false });
    const session = await found(home);
    expect([session.active, await obstacle(home, session)]).toEqual([false, undefined]);
  });

  it.runIf(process.platform === 'linux')(
    'is one whose lock is held, whatever its number says, until it is given back',
    async () => {
      const home = homeWithOne();
      const session = await found(home);
      const hold = holdCopilot(home, ONE.id);
      expect([(await found(home)).active, await obstacle(home, session)]).toEqual([true, 'Copilot CLI has it open.']);
      hold[Symbol.dispose]();
      await expect.poll(async () => (await found(home)).active).toBe(false);
      expect(await obstacle(home, session)).toBeUndefined();
    },
  );

  it('is one that was used since it was looked at, and none that is gone', async () => {
    const home = homeWithOne();
    const session = await found(home);
    putFile(home, `session-state/${ONE.id}/workspace.yaml`, 'id: x\n', FILE_NOW);
    expect(await obstacle(home, session)).toMatch(/^It was used within a day/);
    rmSync(join(home, 'session-state', ONE.id), { recursive: true });
    expect(await obstacle(home, session)).toBeUndefined();
  });
});
