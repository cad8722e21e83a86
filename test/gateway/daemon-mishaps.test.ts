import { once } from 'node:events';
import { cpSync, existsSync, lchownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeExampleHome } from '../e2e/example-home.ts';
import { coppice, sandbox } from '../e2e/run-coppice.ts';
import { type DaemonProcess, endDaemon, startDaemon } from '../http/daemon-process.ts';
import { campaignSize, spread, TORTURE } from '../support/campaign.ts';
import { MISHAPS, type MishapName, USED_NAMES, type UsedName } from '../support/mishaps.ts';
import { NOBODY, PERMISSIONS_BIND } from '../support/nobody.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A daemon looks once in a second whether its files are in place. */
const NOTICED_MS = 3000;
const ANSWERED_MS = 15_000;

const MISHAP_NAMES = Object.keys(MISHAPS) as MishapName[];
const CASES = USED_NAMES.flatMap((name) =>
  MISHAP_NAMES.filter((mishap) => PERMISSIONS_BIND || mishap !== 'made unreadable').map((mishap) => ({ name, mishap })),
);
const SAMPLE = spread(CASES.length, campaignSize({ usual: 3, torture: CASES.length })).flatMap(
  (number) => CASES[number - 1] ?? [],
);

const example = join(sandbox(), 'home');

describe.skipIf(process.platform === 'win32')('a daemon under load', () => {
  beforeAll(async () => {
    await makeExample(example);
  });

  it.each(SAMPLE)('works rightly, says that it does not, or exits when $name is $mishap', async ({ name, mishap }) => {
    const home = join(tempDir(), 'home');
    cpSync(example, home, { recursive: true, preserveTimestamps: true });
    giveAway(join(home, '..'));
    const daemon = await startDaemon(home, undefined, NOBODY);
    const load = startLoad(daemon);
    await load.begun();
    MISHAPS[mishap](join(home, name));
    await Promise.race([once(daemon.child, 'exit'), setTimeout(NOTICED_MS)]);
    const acknowledged = await load.stop();
    const { child } = daemon;
    const fate = hasEnded(daemon) ? 'exits' : await judge(daemon, acknowledged);
    if (TORTURE) console.log(`${name || 'the home'} ${mishap}: ${fate} ${child.exitCode ?? child.signalCode ?? ''}`);
    if (fate === 'exits') expect(child.exitCode).not.toBe(0);
    if (fate === 'works') expect(await endDaemon(daemon, 'SIGTERM')).toBe(0);
    if (losesMessages(name, mishap)) return;
    if (mishap === 'replaced by what it is not') rmSync(join(home, name), { recursive: true, force: true });
    compareStored(home, acknowledged);
  });
});

type Fate = 'works' | 'says that it does not' | 'exits';

/** A daemon that says it is ready does everything; one that is not says so. Whichever it is, it answers. */
async function judge(daemon: DaemonProcess, acknowledged: ReadonlyMap<string, number>): Promise<Fate> {
  const ready = await ask(daemon, { path: '/readyz' });
  const answers = await everythingAsked(daemon, acknowledged);
  // One that gave no answer may be about to end.
  if (ready === undefined && !hasEnded(daemon))
    await Promise.race([once(daemon.child, 'exit'), setTimeout(NOTICED_MS)]);
  if (hasEnded(daemon)) return 'exits';
  expect([200, 503]).toContain(ready?.status);
  expect((await ask(daemon, { path: '/healthz' }))?.status).toBe(200);
  if (ready?.status !== 200) return 'says that it does not';
  expect(answers.filter(({ status }) => status === undefined || status >= 300)).toEqual([]);
  return 'works';
}

/** What clients ask for: the sessions that it has in memory, and new ones; every message that was acknowledged is there. */
async function everythingAsked(daemon: DaemonProcess, acknowledged: ReadonlyMap<string, number>) {
  const answers: (Partial<Answer> & { readonly path: string })[] = [];
  const asked = async (path: string, body?: object): Promise<{ id?: string; messageCount?: number }> => {
    const answer = await ask(daemon, { path, ...(body && { body }) });
    answers.push({ path, ...answer });
    return answer !== undefined && answer.status < 300 ? (JSON.parse(answer.body) as object) : {};
  };
  for (const [id, count] of acknowledged) {
    const { messageCount = count } = await asked(`/api/sessions/${id}`);
    expect(messageCount).toBeGreaterThanOrEqual(count);
    await asked(`/api/sessions/${id}/messages`, MESSAGE);
  }
  const { id } = await asked('/api/sessions', { source: 'mishap' });
  if (id !== undefined) await asked(`/api/sessions/${id}/messages`, MESSAGE);
  await asked('/api/routes/resolve', { key: 'mishap', source: 'mishap' });
  if (id !== undefined) await asked(`/api/sessions/${id}/usage`, { model: 'm', inputTokens: 1 });
  await asked('/api/sessions?limit=5');
  await asked('/api/budget');
  return answers;
}

const MESSAGE = { messages: [{ role: 'user', content: 'one of many' }] };

/** Three clients that add messages, each to a session of its own, until they are stopped or the daemon has ended. */
function startLoad(daemon: DaemonProcess) {
  const acknowledged = new Map<string, number>();
  const stopping = new AbortController();
  const append = async (): Promise<void> => {
    const made = await ask(daemon, { path: '/api/sessions', body: { source: 'load' } });
    const { id } = JSON.parse(made?.body ?? '{}') as { id: string };
    while (!stopping.signal.aborted && !hasEnded(daemon)) {
      const answer = await ask(daemon, { path: `/api/sessions/${id}/messages`, body: MESSAGE });
      if (answer !== undefined && answer.status < 300) acknowledged.set(id, (acknowledged.get(id) ?? 0) + 1);
      await setTimeout(10);
    }
  };
  const clients = [append(), append(), append()];
  return {
    /** Resolves when each of them has added some. */
    async begun(): Promise<void> {
      const added = () => [...acknowledged.values()].filter((count) => count >= 3);
      await expect.poll(added, { timeout: 60_000 }).toHaveLength(clients.length);
    },
    async stop(): Promise<ReadonlyMap<string, number>> {
      stopping.abort();
      await Promise.all(clients);
      return acknowledged;
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Question {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/** Undefined where nobody answers in time. Not by `fetch`, which now and then never settles when the other end dies. */
async function ask({ url, token }: DaemonProcess, { path, body, method = body ? 'POST' : 'GET' }: Question) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(ANSWERED_MS);
  const begun = request(`${url}${path}`, { method, headers, agent: false, signal }).end(body && JSON.stringify(body));
  return new Promise<Answer | undefined>((resolve) => {
    begun.once('response', (response) => {
      const whole = (got: string) => resolve({ status: response.statusCode ?? 0, body: got });
      text(response).then(whole, () => resolve(undefined));
    });
    begun.once('error', () => resolve(undefined));
  });
}

function hasEnded({ child }: DaemonProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Whether what was stored is gone with what was done to it. */
function losesMessages(name: UsedName, mishap: MishapName): boolean {
  if (name === '' && mishap !== 'moved away') return true;
  return name.startsWith('state.db') && (name === 'state.db' || mishap === 'damaged' || mishap === 'emptied');
}

function compareStored(home: string, acknowledged: ReadonlyMap<string, number>): void {
  const path = existsSync(home) ? home : `${home}.1`;
  const db = new BetterSqlite3(join(path, 'state.db'), { readonly: true });
  const count = db.prepare<[string], number>('SELECT message_count FROM sessions WHERE id = ?').pluck();
  for (const [id, least] of acknowledged) expect(count.get(id)).toBeGreaterThanOrEqual(least);
  db.close();
}

/** A home with something of everything: sessions, one in the archive, one in the trash, a checkpoint, a plan, a token. */
async function makeExample(path: string): Promise<void> {
  const project = join(path, '..', 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'file.txt'), 'words');
  await makeExampleHome(path);
  const ran = [
    ['config', 'init'],
    ['sessions', 'delete', 'many', '--yes'],
    ['sessions', 'archive', '--older-than', '30d', '--yes'],
    ['checkpoints', 'take', project],
    ['plan'],
    ['token', 'create', 'reader', '--scope', 'read'],
  ];
  for (const args of ran)
    expect(await coppice(path, args)).toMatchObject({ code: 0, stderr: expect.anything() as string });
}

/** To whoever runs the daemon. */
function giveAway(folder: string): void {
  const { uid, gid } = NOBODY;
  if (uid === undefined) return;
  for (const { name, parentPath } of readdirSync(folder, { withFileTypes: true, recursive: true }))
    lchownSync(join(parentPath, name), uid, gid);
  lchownSync(folder, uid, gid);
}
