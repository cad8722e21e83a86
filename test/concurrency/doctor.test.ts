import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checkHome } from '../../src/app/doctor/check-home.ts';
import { isRemark } from '../../src/cli/doctor.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import { campaignSize } from '../support/campaign.ts';
import { collect } from '../support/collect.ts';
import { type EngineHome, openEngineHome } from '../support/engine-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const clock = { now: () => Date.now() };

describe('a check of a home that others work in', () => {
  let path: string;
  let at: EngineHome;

  beforeEach(async () => {
    path = join(tempDir(), 'home');
    at = await openEngineHome(path, { clock });
    onTestFinished(() => at[Symbol.asyncDispose]());
    for (const id of ['idle', 'going', 'staying']) {
      const session = await at.home.sessions.create({ id, source: 'cli' });
      await session.append({ role: 'user', content: `about ${id}` });
      await session.end('done');
    }
  });

  const problemsOf = async (parts = at.parts) => (await collect(checkHome(parts))).flatMap(({ problems }) => problems);

  /** The store, with something done once, by another process as it were, after the first session was listed. */
  function whileListing(act: () => Promise<unknown>): SessionStore {
    let done = false;
    return new Proxy(at.parts.store, {
      get(store, key) {
        const value: unknown = Reflect.get(store, key);
        if (key !== 'list') return typeof value === 'function' ? (value.bind(store) as unknown) : value;
        return async function* (...args: Parameters<SessionStore['list']>) {
          const sessions = await collect(store.list(...args));
          if (!done) await act();
          done = true;
          yield* sessions;
        };
      },
    });
  }

  it('finds nothing wrong with a session that is removed while it is looked at', async () => {
    const removal = async () => at.retention.apply(await at.retention.plan({ kind: 'delete', ids: ['going'] }));
    expect(await problemsOf({ ...at.parts, store: whileListing(removal) })).toEqual([]);
  });

  it('finds nothing wrong with a message that comes while its session is looked at', async () => {
    const message = async () => {
      await using other = await openEngineHome(path, { clock });
      const session = await other.home.sessions.open('staying');
      await session.resume();
      await session.append({ role: 'user', content: 'one more' });
    };
    expect(await problemsOf({ ...at.parts, store: whileListing(message) })).toEqual([]);
  });

  it('tells damage from the work of four writers and one who removes and gives back', {
    timeout: 120_000,
  }, async () => {
    const workers = [1, 2, 3, 4].map((number) => start(WRITER, path, `writer-${number}`)).concat(start(CHURN, path));
    try {
      await Promise.all(workers.map(({ stdout }) => once(stdout as NonNullable<ChildProcess['stdout']>, 'data')));
      for (let round = 0; round < campaignSize({ usual: 2, torture: 100 }); round += 1)
        expect((await problemsOf()).filter((problem) => !isRemark(problem))).toEqual([]);
      const transcript = at.parts.layout.transcript('idle');
      writeFileSync(transcript, readFileSync(transcript, 'utf8').replace('{', 'x'));
      appendFileSync(at.parts.layout.transcript('staying'), 'half a li');
      expect(await problemsOf()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ kind: 'transcript-damaged', subject: 'idle' }),
          expect.objectContaining({ kind: 'transcript-ahead', subject: 'staying' }),
        ]),
      );
    } finally {
      const ends = workers.map((worker) => once(worker, 'exit'));
      for (const worker of workers) worker.kill('SIGKILL');
      await Promise.all(ends);
    }
  });
});

function start(program: string, ...args: string[]): ChildProcess {
  const index = new URL('../../dist/index.js', import.meta.url).pathname;
  return spawn(process.execPath, ['--input-type=module', '-e', program, index, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const WRITER = `
const [, index, path, id] = process.argv;
const { openHome } = await import(index);
const home = await openHome({ path, env: {} });
const session = await home.sessions.create({ id, source: 'cli' });
for (let number = 0; ; number += 1) {
  await session.append({ role: 'user', content: 'message ' + number });
  await new Promise((resolve) => setTimeout(resolve, 2));
  if (number === 0) process.stdout.write('.');
}`;

const CHURN = `
const [, index, path] = process.argv;
const { openHome } = await import(index);
const home = await openHome({ path, env: {} });
for (let number = 0; ; number += 1) {
  const { run } = await home.apply(await home.plan({ kind: 'delete', ids: ['going'] }));
  await home.undo(run.id);
  if (number === 0) process.stdout.write('.');
}`;
