import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { openHome } from '../../src/index.ts';
import { captureIo } from '../capture-io.ts';
import { tempDir } from '../support/temp-dir.ts';

const holders: ChildProcess[] = [];
afterEach(() => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL');
});

/** A process of its own that starts a session and holds it. */
async function hold(home: string, id: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('../support/hold-session.js', import.meta.url));
  const holder = spawn(process.execPath, [script, home, id], { stdio: ['ignore', 'pipe', 'inherit'] });
  holders.push(holder);
  await once(holder.stdout ?? holder, 'data');
  return holder;
}

async function say(home: string, ...args: string[]) {
  const { io, out, err } = captureIo({});
  return { code: await main(['--home', home, ...args], io), out: out(), err: err() };
}

it('ends a session whose process was killed, says which that was, and leaves one whose process lives', async () => {
  const path = tempDir();
  await (await openHome({ path })).close();
  const killed = await hold(path, 'crashed');
  await hold(path, 'living');
  expect((await say(path, 'sessions', 'end', '--crashed')).out).toContain('No open session was held');
  killed.kill('SIGKILL');
  await once(killed, 'exit');

  const { code, out } = await say(path, 'sessions', 'end', '--crashed');
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(`process ${killed.pid} on `) as string });
  expect(out).toContain('Ended 1 session.');

  await using home = await openHome({ path });
  expect((await home.sessions.get('crashed'))?.endReason).toBe('abandoned');
  expect((await home.sessions.get('living'))?.endedAt).toBeUndefined();
});

it('wants one session or all that crashed, and not both', async () => {
  const path = tempDir();
  for (const args of [[], ['s', '--crashed']])
    expect(await say(path, 'sessions', 'end', ...args)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Name one session, or say --crashed') as string,
    });
});
