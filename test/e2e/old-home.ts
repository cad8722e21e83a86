import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { openHome } from '../../src/index.ts';
import { coppiceJson, sandbox } from './run-coppice.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;
export const SESSIONS = 60;

/** Made once for a test file: a directory, a home in it that nothing changes, and copies of that home for tests that do. */
export function oldHomes() {
  const root = sandbox();
  const template = join(root, 'template');
  let copies = 0;
  beforeAll(() => makeOldHome(template));
  const copyHome = () => {
    const copy = join(root, `home-${(copies += 1)}`);
    cpSync(template, copy, { recursive: true });
    return copy;
  };
  return { root, template, copyHome };
}

/** Sessions from 120 days ago until yesterday: every tenth is empty, the one after it has three messages. */
export async function makeOldHome(path: string): Promise<void> {
  const startedAt = Date.now();
  let ageDays = 0;
  await using home = await openHome({ path, env: {}, clock: { now: () => startedAt - ageDays * DAY_MS } });
  for (let at = 0; at < SESSIONS; at += 1) {
    ageDays = 121 - at * 2;
    const source = at % 3 === 0 ? 'cron' : 'cli';
    const session = await home.sessions.create({ id: `s${at}`, source, title: `Talk ${at}`, workdir: '/repo' });
    const messages = at % 10 === 0 ? 0 : at % 10 === 1 ? 3 : 12;
    const words = Array.from({ length: messages }, (_, line) => ({
      role: 'user' as const,
      content: `needle of s${at}, line ${line}`,
    }));
    if (messages > 0) await session.appendAll(words);
    if (at % 7 === 2) await session.dump({ method: 'POST', url: 'https://api.example.com', body: { at } });
    if (at === 4) await session.pin();
    if (at === 5) await session.tag({ add: ['keep'] });
    await session.end(at % 2 === 0 ? 'done' : 'timeout');
  }
  ageDays = 0.5;
  const open = await home.sessions.create({ id: 'open', source: 'cli' });
  await open.append({ role: 'user', content: 'I may come back.' });
  await open.release();
  // With its reserve, which is told of when it is laid in.
  await (await home.retention()).settle();
}

export interface PlanJson {
  readonly id: string;
  readonly totals: Record<'go' | 'keep' | 'forGood', { items: number; sizeBytes: number }>;
  readonly decisions: readonly { item: { kind: string; id: string }; action: string; reason: string }[];
}

export interface RunJson {
  readonly run: { id: string; expiresAt: string };
  readonly done: number;
  readonly skipped: number;
  readonly items: readonly { id: string; status: string; detail?: string }[];
}

export const removed = ({ decisions }: PlanJson) =>
  decisions.filter(({ action }) => action === 'remove').map(({ item }) => item.id);

export async function listed(home: string): Promise<string[]> {
  const { sessions } = await coppiceJson<{ sessions: { id: string }[] }>(home, ['sessions', 'list']);
  return sessions.map(({ id }) => id);
}
