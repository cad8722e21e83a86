import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import type { Outcome } from '../../src/core/retention/run.ts';
import type { NewMessage } from '../../src/core/sessions/message.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { manualClock, NOW } from './clock.ts';
import { collect, user } from './collect.ts';
import { tempDir } from './temp-dir.ts';

interface Setting {
  readonly key: string;
  readonly value: string;
}

const SETTINGS: readonly Setting[] = [
  { key: 'disk.ballast_mb', value: 'never' },
  { key: 'sessions.keep_last', value: '1' },
];

/** A home whose sessions are archived and restored, with one that is too new for that. Closed when the test is over. */
export async function openArchiveDesk(): Promise<ArchiveDesk> {
  const desk = new ArchiveDesk();
  await desk.reopen();
  onTestFinished(() => desk.home.close());
  // The newest of a project stays, so this one always does.
  desk.clock.advance(DAY_MS);
  await desk.add(
    'newest',
    Array.from({ length: 10 }, (_, at) => user(`I stay ${at}`)),
  );
  desk.clock.set(NOW);
  return desk;
}

export class ArchiveDesk {
  readonly layout = nativeLayout(join(tempDir(), 'home'));
  readonly clock = manualClock(NOW);
  #home: Home | undefined;

  get home(): Home {
    if (this.#home === undefined) throw new Error('The home is not open yet.');
    return this.#home;
  }

  async reopen(...settings: readonly Setting[]): Promise<void> {
    await this.#home?.close();
    const { layout, clock } = this;
    this.#home = await openHome({ path: layout.root, clock, env: {}, settings: [...SETTINGS, ...settings] });
  }

  async add(id: string, messages: readonly NewMessage[]): Promise<void> {
    const session = await this.home.sessions.create({ id, source: 'cli' });
    await session.appendAll(messages);
    await session.end('done');
  }

  async archive(afterDays = 100): Promise<{ runId: string; details: Record<string, string> }> {
    this.clock.set(NOW + afterDays * DAY_MS);
    const details: Record<string, string> = {};
    const plan = await this.home.plan({ kind: 'archive', filter: {}, before: this.clock.now() });
    const onOutcome = ({ item, detail = 'done' }: Outcome) => (details[item.id] = detail);
    const { run } = await this.home.apply(plan, { onOutcome });
    return { runId: run.id, details };
  }

  async restore(...ids: string[]) {
    return (await this.home.retention()).restore(ids);
  }

  bundles(): string[] {
    return readdirSync(this.layout.archive).filter((name) => name.endsWith('.tar'));
  }

  async noProblems(): Promise<void> {
    for await (const { name, problems } of this.home.check()) expect(problems, name).toEqual([]);
    expect((await (await this.home.retention()).scan()).problems).toEqual([]);
  }

  async archiveProblems(): Promise<string[]> {
    const checks = await collect(this.home.check());
    return checks.flatMap(({ name, problems }) => (name === 'archive' ? problems.map(({ kind }) => kind) : []));
  }

  /** Every column of every row that belongs to a session, and every file with its bytes, mode and time. */
  everything(): unknown {
    const db = new BetterSqlite3(this.layout.database, { readonly: true });
    const rows = (sql: string) => db.prepare(sql).all();
    const sessions = rows('SELECT * FROM sessions ORDER BY id').map((row) => ({ ...(row as object), key: 0 }));
    const usage = rows('SELECT sessions.id, usage.* FROM usage JOIN sessions ON key = session_key ORDER BY 1, model');
    const messages = rows(`SELECT sessions.id AS session, seq, role, at, text, extra FROM messages
      JOIN sessions ON key = session_key ORDER BY 1, 2`).map((row) => hashed(JSON.stringify(row)));
    db.close();
    return { sessions, usage, messages, files: filesBelow(this.layout.sessions) };
  }
}

/** Something of the size that a failing test can print. */
function hashed(content: string | Buffer): string {
  return content.length < 200 ? String(content) : createHash('sha1').update(content).digest('hex');
}

/** Every file and folder with its mode, its time to the microsecond, and its bytes. */
export function filesBelow(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const described = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode, mtimeNs } = lstatSync(path, { bigint: true });
    const bytes = entry.isFile() ? hashed(readFileSync(path)) : '';
    const shard = entry.isDirectory() && entry.parentPath === root;
    return [path.slice(root.length), shard ? 'shard' : `${mode.toString(8)} ${mtimeNs / 1000n} ${bytes}`] as const;
  });
  return Object.fromEntries(described.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
