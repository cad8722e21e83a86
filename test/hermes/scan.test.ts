import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useOf } from '../../src/core/sessions/in-use.ts';
import { classOf } from '../../src/homes/hermes/sessions/hermes-growers.ts';
import { type HermesScan, scanHermes } from '../../src/homes/hermes/sessions/scan-hermes.ts';
import {
  buildHermesHome,
  HERMES_DAY,
  HERMES_NOW,
  hermesSafeName,
  hermesSql,
  structured,
} from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';
import type { HermesSchema } from '../support/hermes-schema.ts';
import { LIVE_IDS, NASTY_IDS, standardHermesHome } from '../support/hermes-standard-home.ts';
import { treeFiles, treeState } from '../support/hermes-tree.ts';

const WRITER = resolve(import.meta.dirname, '../support/hermes-writer.js');
const SCHEMAS: readonly HermesSchema[] = [25, 30, 'legacy'];

let root: string;
let home: string;
eachHermesScene((scene) => ({ root, home } = scene));

async function scan(): Promise<HermesScan> {
  const found = await scanHermes({ home, now: HERMES_NOW });
  if (found === undefined) throw new Error('not recognised as a Hermes home');
  return found;
}

const change = (sql: string) => hermesSql(home, sql);

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe('scanning a Hermes home', () => {
  for (const schema of SCHEMAS) {
    for (const journal of ['wal', 'delete'] as const) {
      it(`changes no byte and no time of it (schema ${schema}, ${journal} journal)`, async () => {
        standardHermesHome(home, schema, journal);
        const before = treeState(home);
        const { detection, inventory } = await scan();
        expect(detection).toMatchObject({ mode: 'manage', reasons: [] });
        expect(inventory.sessions.length).toBeGreaterThan(25);
        expect(treeState(home)).toEqual(before);
      });
    }

    it(`finds the same in every layout (schema ${schema})`, async () => {
      standardHermesHome(home, schema);
      const { inventory } = await scan();
      const byId = new Map(inventory.sessions.map((item) => [item.id, item]));
      expect(byId.get('plain')).toMatchObject({
        source: 'cli',
        title: 'Plain',
        model: 'test/model',
        workdir: '/projects/app',
        startedAt: HERMES_NOW - 100 * HERMES_DAY,
        lastActiveAt: HERMES_NOW - 100 * HERMES_DAY + 60_000,
        endedAt: HERMES_NOW - 100 * HERMES_DAY + 3_600_000,
        endReason: 'cli_close',
        messageCount: 2,
        pinned: false,
        active: false,
        tags: [],
      });
      expect(byId.get('pinned')?.pinned).toBe(true);
      expect(byId.get('archived')?.tags).toEqual(['hermes:archived']);
      expect(byId.get('empty')).toMatchObject({ messageCount: 0, lastActiveAt: HERMES_NOW - 100 * HERMES_DAY });
      const kinds = ['tip', 'forked', 'helper', 'tool-child', 'fresh', 'old-fork'].map((id) => byId.get(id)?.childKind);
      expect(kinds).toEqual(['continuation', 'branch', 'subagent', undefined, 'reset', 'branch']);
    });
  }

  it('changes nothing beside a Hermes that has the database open, and sees what it just wrote', async () => {
    standardHermesHome(home);
    const writer = spawn(process.execPath, [WRITER, join(home, 'state.db'), 'stay'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(writer.stdout, 'data');
    const before = treeState(home);
    const { detection } = await scan();
    expect(detection.shape?.journal).toBe('wal');
    expect(treeState(home)).toEqual(before);
    writer.stdin.end();
    const [code] = await once(writer, 'exit');
    expect(code).toBe(0);
  });

  it('changes nothing of what a killed Hermes left, its log included', async () => {
    standardHermesHome(home);
    spawnSync(process.execPath, [WRITER, join(home, 'state.db'), 'crash']);
    const before = treeState(home);
    expect(before.some((line) => line.startsWith('state.db-wal '))).toBe(true);
    const { detection, inventory } = await scan();
    expect(detection.mode).toBe('manage');
    expect(inventory.sessions.length).toBeGreaterThan(25);
    expect(treeState(home)).toEqual(before);
  });

  it('adds nothing but the shared memory where a log lies without it, as in a copied home', async () => {
    standardHermesHome(home);
    spawnSync(process.execPath, [WRITER, join(home, 'state.db'), 'crash']);
    rmSync(join(home, 'state.db-shm'));
    const before = treeState(home);
    expect((await scan()).detection.mode).toBe('manage');
    const known = (line: string) => !/^(state\.db-shm)? /.test(line);
    expect(treeState(home).filter(known)).toEqual(before.filter(known));
  });

  it('places every file: with a session, as a stray, in a class, or as a problem', async () => {
    standardHermesHome(home);
    const { inventory, classes } = await scan();
    const strays = new Set(idsOf(inventory.strays));
    const problems = new Set(inventory.problems.map(({ subject }) => subject));
    const owned = new Set(
      ['plain', ...NASTY_IDS].flatMap((id) => [
        `sessions/session_${hermesSafeName(id)}.json`,
        `sessions/request_dump_${hermesSafeName(id)}_20260101_000000_000000.json`,
      ]),
    ).add('sessions/plain.jsonl');
    const kept = (path: string) => /^sessions\/(sessions\.json|\.sessions_|saved\/)/.test(path);
    const places = treeFiles(home).map((path) => {
      const known = [strays.has(path), owned.has(path), kept(path), classOf(path) !== undefined];
      return [path, [...known, problems.has(path) || problems.has(path.split('/')[0] ?? '')].filter(Boolean).length];
    });
    expect(places.filter(([, count]) => count !== 1)).toEqual([]);
    const files = inventory.sessions.reduce((sum, { bytes }) => sum + bytes.transcript + bytes.dumps + bytes.other, 0);
    const inClasses = classes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(files).toBeGreaterThan(0);
    expect(inventory.disk.usedBytes).toBeGreaterThan(files + inClasses);
    const inSorts = inventory.files?.filter(({ name }) => name !== 'profile') ?? [];
    expect(inSorts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBe(inventory.disk.usedBytes);
  });

  it('takes for orphans only names that Hermes gives, and leaves all others alone', async () => {
    standardHermesHome(home);
    const { inventory } = await scan();
    expect(idsOf(inventory.strays).toSorted()).toEqual([
      'sessions/20260101_000000_abcdef.jsonl',
      'sessions/request_dump_gone_20260101_000000_000000.json',
      'sessions/session_20260101_000000_abcdef.json',
    ]);
    const unknown = inventory.problems.filter(({ kind }) => kind === 'unknown-file').map(({ subject }) => subject);
    expect(unknown.toSorted()).toEqual([
      'never-heard-of',
      'sessions/README.txt',
      'sessions/notes.json',
      'sessions/session_notes.json',
    ]);
  });

  it('gives each session exactly its own files, whatever its id looks like', async () => {
    standardHermesHome(home);
    const { inventory } = await scan();
    for (const id of NASTY_IDS) {
      const item = inventory.sessions.find((session) => session.id === id);
      const name = hermesSafeName(id);
      const blocks = (file: string) => lstatSync(join(home, 'sessions', file)).blocks * 512;
      expect(item?.bytes).toMatchObject({
        transcript: blocks(`session_${name}.json`),
        dumps: blocks(`request_dump_${name}_20260101_000000_000000.json`),
        other: 0,
      });
    }
  });

  it('counts bytes, also of structured content, which begins with a zero', async () => {
    buildHermesHome(home, { sessions: [{ id: 's', messages: [structured({ text: 'é'.repeat(100) }), 'plain'] }] });
    const { inventory } = await scan();
    const content = Buffer.byteLength(structured({ text: 'é'.repeat(100) })) + 'plain'.length;
    const around = inventory.sessions[0]?.bytes.rows ?? 0;
    expect(around).toBeGreaterThanOrEqual(content);
    expect(around).toBeLessThan(content + 200);
  });

  it('holds every session that some evidence says is in use', async () => {
    standardHermesHome(home, 30);
    const { inventory, gatewayAlive } = await scan();
    const used = inventory.sessions.flatMap((session) => {
      const use = useOf(session);
      return use === undefined ? [] : [[session.id, use]];
    });
    const { open, routed, otherScope, mirrored, bound, ...leased } = LIVE_IDS;
    expect(Object.fromEntries(used)).toEqual({
      [open]: 'open',
      ...Object.fromEntries([routed, otherScope, mirrored, bound].map((id) => [id, 'routed'])),
      ...Object.fromEntries(Object.values(leased).map((id) => [id, 'active'])),
    });
    expect(gatewayAlive).toBe(true);
    expect(inventory.doubts).toEqual([]);
  });

  it('trusts nothing when evidence cannot be read', async () => {
    standardHermesHome(home);
    writeFileSync(join(home, 'sessions/sessions.json'), '{ half');
    const { inventory } = await scan();
    expect(inventory.doubts).toEqual(['activity-unknown']);
    expect(inventory.problems).toContainEqual(
      expect.objectContaining({ kind: 'activity-unknown', subject: 'sessions/sessions.json' }),
    );
  });

  it('lets a session that Hermes swept up after a crash age from then on', async () => {
    buildHermesHome(home, { sessions: [{ id: 's', messages: ['hi'], end: 'startup_orphan_reap' }] });
    change(`UPDATE sessions SET ended_at = ${HERMES_NOW / 1000 - 60}`);
    const { inventory } = await scan();
    expect(inventory.sessions[0]?.lastActiveAt).toBe(HERMES_NOW - 60_000);
  });

  it('keeps a session whose row is odd, and says so', async () => {
    standardHermesHome(home);
    change(`UPDATE sessions SET started_at = 'long ago' WHERE id = 'empty'`);
    const { inventory } = await scan();
    const unreadable = idsOf(inventory.sessions.filter((session) => session.unreadable === true));
    expect(unreadable.toSorted()).toEqual(['empty', 'odd-config']);
    const odd = inventory.problems.filter(({ kind }) => kind === 'odd-row').map(({ subject }) => subject);
    expect(odd.toSorted()).toEqual(['empty', 'odd-config']);
  });

  it('reports messages without a session instead of counting them for another', async () => {
    standardHermesHome(home);
    change(`PRAGMA foreign_keys = OFF; INSERT INTO messages (session_id, role, timestamp) VALUES ('lost', 'user', 1)`);
    const { inventory } = await scan();
    expect(inventory.problems).toContainEqual(expect.objectContaining({ kind: 'lost-messages', subject: 'lost' }));
  });

  it('never follows a link in sessions, and reports it', async () => {
    standardHermesHome(home);
    symlinkSync('/etc/hostname', join(home, 'sessions', 'session_20260101_000000_aaaaaa.json'));
    const { inventory } = await scan();
    const path = 'sessions/session_20260101_000000_aaaaaa.json';
    expect(idsOf(inventory.strays)).not.toContain(path);
    expect(inventory.problems).toContainEqual(expect.objectContaining({ kind: 'unknown-file', subject: path }));
  });

  it('reports a folder that it may not read', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may read everything');
    standardHermesHome(home);
    chmodSync(join(home, 'logs'), 0);
    const { inventory } = await scan();
    chmodSync(join(home, 'logs'), 0o700);
    expect(inventory.problems).toContainEqual(expect.objectContaining({ kind: 'unreadable', subject: 'logs' }));
  });

  it('calls no file an orphan when the sessions themselves cannot be read', async () => {
    standardHermesHome(home);
    writeFileSync(join(home, 'state.db'), 'this is not a database, although it has the name of one'.repeat(100));
    const { inventory, detection } = await scan();
    expect(detection.mode).toBe('report');
    expect(inventory).toMatchObject({ sessions: [], strays: [], doubts: ['activity-unknown'] });
  });

  it('stops when it is told to', async () => {
    standardHermesHome(home);
    const stopped = scanHermes({ home, now: HERMES_NOW }, { signal: AbortSignal.abort(new Error('enough')) });
    await expect(stopped).rejects.toThrow('enough');
  });

  it('is not for directories of others', async () => {
    expect(await scanHermes({ home: root, now: HERMES_NOW })).toBeUndefined();
  });
});
