import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';
import { treeState } from '../support/hermes-tree.ts';

let root: string;
let home: string;
eachHermesScene((scene) => ({ root, home } = scene));

/** Writes a file of so many days ago. */
function put(path: string, days: number): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, path);
  const at = (HERMES_NOW - days * HERMES_DAY) / 1000;
  utimesSync(file, at, at);
  utimesSync(dirname(file), at, at);
}

const OLD = [
  'state.db.malformed-backup-20260101_000000',
  'state.db.malformed-backup-20260101_000000-wal',
  'state.db.zeroed-20260101-77.bak',
  'state.db.pre-clean-markers-backup-20260101_000000',
  'state-snapshots/20260101-000000-pre-update/state.db',
  'logs/subagent-timeout-20260101.log',
];
/** The newest of each sort, young ones, and what only looks like one of them. */
const STAY = [
  ['state.db.malformed-backup-20260301_000000', 60],
  ['state.db.malformed-backup-20260301_000000-wal', 60],
  ['state.db.zeroed-20260301-77-1.bak', 60],
  ['state.db.pre-clean-markers-backup-20260301_000000', 60],
  ['state-snapshots/20260301-000000/manifest.json', 60],
  ['state-snapshots/20261114-000000/manifest.json', 1],
  ['logs/subagent-timeout-20260301.log', 60],
  ['state.db.malformed-backup-mine', 200],
  ['state.db.my-backup', 200],
  ['state-snapshots/mine/state.db', 200],
  ['logs/agent.log', 200],
  ['logs/old/subagent-timeout-20260101.log', 200],
] as const;

function build(): void {
  buildHermesHome(home, { sessions: [{ id: 'a', messages: ['hello'] }] });
  for (const path of OLD) put(path, 100);
  for (const [path, days] of STAY) put(path, days);
}

/** Every byte, time and inode of what is called as a copy. */
const copies = () => treeState(home).filter((line) => /^(state\.db\.[mzp]|state-snapshots\/|logs\/)/.test(line));

const there = (paths: readonly string[]) => paths.filter((path) => existsSync(join(home, path)));

describe('what Hermes put aside', () => {
  it('goes into the trash when it is old, and comes back as it was', async () => {
    build();
    const before = copies();
    const shown = await runOn(home, ['clear-copies', '--dry-run']);
    expect(shown.code).toBe(0);
    expect(there(OLD)).toEqual(OLD);
    const { code, out } = await runOn(home, ['clear-copies', '--yes']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^Removed 7 /) });
    expect(there(OLD)).toEqual([]);
    expect(there(STAY.map(([path]) => path))).toEqual(STAY.flatMap(([path]) => (path === GONE_TOO ? [] : [path])));
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(copies()).toEqual(before);
  });

  it('stays by itself: no rule and no unattended pass is about it', async () => {
    build();
    await runOn(home, ['maintain', '--allow']);
    await runOn(home, ['sessions', 'prune', '--files-only', '--older-than', '1d', '--yes']);
    expect(there(OLD)).toEqual(OLD);
  });

  it('stays where it has another name, or where something else is by the time it comes back', async () => {
    build();
    linkSync(join(home, OLD[0] ?? ''), join(root, 'elsewhere'));
    expect((await runOn(home, ['clear-copies', '--yes'])).code).toBe(3);
    expect(there(OLD)).toEqual([OLD[0]]);
    put(OLD[2] ?? '', 1);
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(3);
    expect(there(OLD)).toEqual(OLD);
  });

  it('stays while the database is damaged', async () => {
    build();
    const db = new BetterSqlite3(join(home, 'state.db'));
    db.pragma('journal_mode = delete');
    const page = db.prepare<[], number>(`SELECT rootpage FROM sqlite_master WHERE name = 'idx_sessions_started'`);
    const at = ((page.pluck().get() ?? 1) - 1) * 4096;
    db.close();
    const file = openSync(join(home, 'state.db'), 'r+');
    writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, at);
    closeSync(file);
    const { code, err } = await runOn(home, ['clear-copies', '--yes']);
    expect({ code, err }).toEqual({ code: 5, err: expect.stringContaining('so all of them stay.') });
    expect(there(OLD)).toEqual(OLD);
    expect(readdirSync(home)).not.toContain('.coppice');
  });
});

/** Neither young nor the newest of its sort. */
const GONE_TOO = 'state-snapshots/20260301-000000/manifest.json';
