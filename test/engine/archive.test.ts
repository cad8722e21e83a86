import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import type { NewMessage } from '../../src/core/message.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { type NativeLayout, nativeLayout } from '../../src/homes/native/native-layout.ts';
import { type ManualClock, manualClock, NOW } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

const SETTINGS = [
  { key: 'disk.ballast_mb', value: 'never' },
  { key: 'sessions.keep_last', value: '1' },
];

describe('the archive of a native home', () => {
  let layout: NativeLayout;
  let clock: ManualClock;
  let home: Home;

  beforeEach(async () => {
    layout = nativeLayout(join(tempDir(), 'home'));
    clock = manualClock(NOW);
    home = await open();
    // The newest of a project stays, so this one always does.
    clock.advance(DAY_MS);
    await aSession(
      'newest',
      Array.from({ length: 10 }, (_, at) => text(`I stay ${at}`)),
    );
    clock.set(NOW);
  });

  afterEach(() => home.close());

  const open = (...settings: { key: string; value: string }[]) =>
    openHome({ path: layout.root, clock, env: {}, settings: [...SETTINGS, ...settings] });

  async function aSession(id: string, messages: readonly NewMessage[]): Promise<void> {
    const session = await home.sessions.create({ id, source: 'cli' });
    await session.appendAll(messages);
    await session.end('done');
  }

  async function archive(afterDays = 100): Promise<{ runId: string; details: Record<string, string> }> {
    clock.set(NOW + afterDays * DAY_MS);
    const details: Record<string, string> = {};
    const plan = await home.plan({ kind: 'archive', filter: {}, before: clock.now() });
    const { run } = await home.apply(plan, { onOutcome: ({ item, detail }) => (details[item.id] = detail ?? 'done') });
    return { runId: run.id, details };
  }

  const restore = async (...ids: string[]) => (await home.retention()).restore(ids);
  const bundles = () => readdirSync(layout.archive).filter((name) => name.endsWith('.tar'));
  const text = (content: string): NewMessage => ({ role: 'user', content });

  async function noProblems(): Promise<void> {
    for await (const { name, problems } of home.check()) expect(problems, name).toEqual([]);
    expect((await (await home.retention()).scan()).problems).toEqual([]);
  }

  async function archiveProblems(): Promise<string[]> {
    const checks = await collect(home.check());
    return checks.flatMap(({ name, problems }) => (name === 'archive' ? problems.map(({ kind }) => kind) : []));
  }

  /** Every column of every row that belongs to a session, and every file with its bytes, mode and time. */
  function everything(): unknown {
    const db = new BetterSqlite3(layout.database, { readonly: true });
    const rows = (sql: string) => db.prepare(sql).all();
    const sessions = rows('SELECT * FROM sessions ORDER BY id').map((row) => ({ ...(row as object), key: 0 }));
    const usage = rows('SELECT sessions.id, usage.* FROM usage JOIN sessions ON key = session_key ORDER BY 1, model');
    const messages = rows(`SELECT sessions.id AS session, seq, role, at, text, extra FROM messages
      JOIN sessions ON key = session_key ORDER BY 1, 2`).map((row) => hashed(JSON.stringify(row)));
    db.close();
    return { sessions, usage, messages, files: filesBelow(layout.sessions) };
  }

  it('gives back sessions of every kind exactly as they were', async () => {
    await aSession('empty', []);
    await aSession('日本語 / ../é', [text('磁盘已满 \u0000 \ud800 lone'), text('𝄞'.repeat(10))]);
    await aSession('x'.repeat(500), [
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'bash', arguments: { command: 'ls\n' } }] },
      { role: 'tool', toolCallId: 'c', name: 'bash', content: 'a\nb', failed: true },
      { role: 'assistant', content: [{ type: 'text', text: 'parts' }], model: 'm', metadata: { deep: [{ x: null }] } },
    ]);
    await aSession('huge', [text('long '.repeat(1_200_000)), text('short')]);
    await aSession(
      'many',
      Array.from({ length: 1201 }, (_, at) => text(`number ${at}`)),
    );
    const odd = await home.sessions.create({
      id: 'odd files',
      source: 'cron',
      tags: ['a', 'b'],
      workdir: '/w',
      title: 't',
    });
    await odd.append(text('with a dump'));
    await odd.dump({ url: 'https://example.com', body: { binary: '\u0000\uffff' } });
    await odd.recordUsage({ model: 'm1', inputTokens: 10, costUsd: 0.123456789 });
    await odd.recordUsage({ model: 'm2', outputTokens: 3 });
    await odd.end('done');
    const directory = layout.sessionDir('odd files');
    mkdirSync(join(directory, 'empty folder', 'deeper'), { recursive: true, mode: 0o700 });
    writeFileSync(
      join(directory, 'notes ü.bin'),
      Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256)),
    );
    writeFileSync(join(directory, 'nothing'), '');
    writeFileSync(join(directory, 'large.txt'), '€uro '.repeat(200_000));
    chmodSync(join(directory, 'nothing'), 0o400);
    chmodSync(join(directory, 'empty folder'), 0o500);
    utimesSync(join(directory, 'large.txt'), 1_700_000_000.123456, 1_700_000_000.123456);
    utimesSync(join(directory, 'empty folder'), 1_600_000_000.5, 1_600_000_000.5);

    const before = everything();
    const { runId, details } = await archive();
    expect(details).toEqual({
      empty: 'done',
      '日本語 / ../é': 'done',
      ['x'.repeat(500)]: 'done',
      huge: 'done',
      many: 'done',
      'odd files': 'done',
    });
    expect((await collect(home.sessions.list())).map(({ id }) => id)).toEqual(['newest']);
    expect(existsSync(directory)).toBe(false);
    await noProblems();

    expect(await home.undo(runId)).toMatchObject({ done: 6, skipped: 0 });
    expect(everything()).toEqual(before);
    expect(bundles()).toEqual([]);
    // The files that Coppice did not write are back, and it says so.
    const problems = (await collect(home.check())).flatMap((check) => check.problems);
    expect(problems.map(({ kind }) => kind)).toEqual(Array(3).fill('unknown-file'));
  });

  it('gives back hostile content exactly, by either codec', async () => {
    const content = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'grapheme' }));
    const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content });
    const file = fc.tuple(fc.stringMatching(/^[a-z "'$\\\n]{1,20}$/), fc.uint8Array({ maxLength: 3000 }));
    const codec = fc.constantFrom('brotli', 'gzip');
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 8 }),
        fc.array(file, { maxLength: 4 }),
        codec,
        async (messages, files, by) => {
          clock.set(NOW);
          const id = `hostile ${(count += 1)}`;
          await home.close();
          home = await open({ key: 'archive.codec', value: by });
          await aSession(id, messages);
          mkdirSync(layout.sessionDir(id), { recursive: true });
          for (const [name, data] of files) writeFileSync(join(layout.sessionDir(id), `file ${name}`), data);
          const before = everything();
          const { details } = await archive();
          expect(details[id]).toBe('done');
          expect(await restore(...Object.keys(details))).toMatchObject({ skipped: 0 });
          expect(everything()).toEqual(before);
        },
      ),
      { numRuns: 8 },
    );
  });

  it.each(['brotli', 'gzip'])('is read by standard tools, packed by %s', async (codec) => {
    await home.close();
    home = await open({ key: 'archive.codec', value: codec });
    await aSession('one', [text('hello there')]);
    await aSession('two', [text('hello again')]);
    await archive();
    const [bundle = ''] = bundles();
    const path = join(layout.archive, bundle);
    const end = codec === 'brotli' ? 'br' : 'gz';
    expect(execFileSync('tar', ['-tf', path]).toString()).toBe(`1.jsonl.${end}\n2.jsonl.${end}\nindex.jsonl\n`);
    const index = execFileSync('tar', ['-xOf', path, 'index.jsonl']).toString().trim().split('\n');
    expect(index.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { member: `1.jsonl.${end}`, id: 'one', codec, lineCount: 6 },
      { member: `2.jsonl.${end}`, id: 'two', codec, lineCount: 6 },
    ]);
    const packed = execFileSync('tar', ['-xOf', path, `2.jsonl.${end}`]);
    const plain = (codec === 'brotli' ? brotliDecompressSync(packed) : gunzipSync(packed)).toString();
    const lines = plain
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toEqual({ format: 'coppice-archive', version: 1 });
    expect(lines.slice(1).map(({ kind }) => kind)).toEqual(['session', 'message', 'folder', 'file', 'data']);
    expect(lines[2]).toMatchObject({ kind: 'message', row: { seq: 1, role: 'user', text: 'hello again' } });
  });

  it('restores one session by its id and leaves the others', async () => {
    await aSession('a', [text('one')]);
    await aSession('b', [text('two')]);
    await archive();
    expect(await restore('a')).toEqual({ done: 1, skipped: 0 });
    expect((await collect(home.sessions.list({ archived: true }))).map(({ id }) => id)).toEqual(['b']);
    expect((await collect((await home.sessions.open('a')).messages())).map(({ content }) => content)).toEqual(['one']);
    await expect(restore('a')).rejects.toMatchObject({ code: 'refused', message: 'Session a is not archived.' });
    await expect(restore('nowhere')).rejects.toMatchObject({ code: 'not-found' });
    const session = await home.sessions.open('b');
    await expect(session.dump({ url: 'https://example.com' })).rejects.toMatchObject({ code: 'refused' });
    expect(existsSync(layout.sessionDir('b'))).toBe(false);
  });

  it('takes a session into the archive again after it was restored', async () => {
    await aSession('a', [text('one')]);
    const { runId } = await archive();
    await restore('a');
    const before = everything();
    await archive(101);
    // The first run gave it back already.
    expect(await home.undo(runId)).toMatchObject({ done: 0, skipped: 0 });
    expect((await home.sessions.get('a'))?.archivedAt).toBe(clock.now());
    await restore('a');
    expect(everything()).toEqual(before);
  });

  it('does not overwrite what stands where the files were', async () => {
    await aSession('a', [text('one')]);
    const { runId } = await archive();
    mkdirSync(layout.sessionDir('a'), { recursive: true });
    writeFileSync(join(layout.sessionDir('a'), 'mine'), 'not to be lost');
    expect(await home.undo(runId)).toMatchObject({ done: 0, skipped: 1 });
    expect(readFileSync(join(layout.sessionDir('a'), 'mine'), 'utf8')).toBe('not to be lost');
    expect((await home.sessions.get('a'))?.archivedAt).toBe(clock.now());
    rmSync(layout.sessionDir('a'), { recursive: true });
    expect(await home.undo(runId)).toMatchObject({ done: 1, skipped: 0 });
    await noProblems();
  });

  it('changes nothing when the bundle is damaged or gone, and says so', async () => {
    await aSession('a', [text('one'), text('two')]);
    const { runId } = await archive();
    const path = join(layout.archive, bundles()[0] ?? '');
    const whole = readFileSync(path);
    truncateSync(path, 700);
    const details: string[] = [];
    const onOutcome = ({ detail = 'done' }) => details.push(detail);
    await home.undo(runId, { onOutcome });
    expect(await archiveProblems()).toEqual(['archive-damaged']);
    rmSync(path);
    await home.undo(runId, { onOutcome });
    expect(await archiveProblems()).toEqual(['archive-missing']);
    expect(details).toEqual(Array(2).fill(expect.stringContaining('is missing or damaged') as string));
    expect((await (await home.retention()).scan()).problems.map(({ kind }) => kind)).toEqual(['archive-missing']);
    writeFileSync(path, whole, { mode: 0o600 });
    await home.undo(runId, { onOutcome });
    expect(details[2]).toBe('done');
    expect(await collect((await home.sessions.open('a')).messages())).toHaveLength(2);
  });

  it('leaves alone what it could not bring back', async () => {
    for (const id of ['link', 'names', 'fine']) await aSession(id, [text('one')]);
    symlinkSync('/etc/hostname', join(layout.sessionDir('link'), 'a link'));
    linkSync(layout.transcript('names'), join(layout.root, 'another name'));
    const before = filesBelow(layout.sessions);
    const { details } = await archive();
    expect(details).toEqual({
      link: expect.stringContaining('is neither a file nor a folder') as string,
      names: expect.stringContaining('has other names') as string,
      fine: 'done',
    });
    expect(await collect((await home.sessions.open('link')).messages())).toHaveLength(1);
    expect(Object.keys(filesBelow(layout.sessions))).toEqual(Object.keys(before).filter((path) => !/fine/.test(path)));
  });

  it('skips a session that changes while it is archived', async () => {
    for (const id of ['a', 'b']) await aSession(id, [text('one')]);
    clock.set(NOW + 100 * DAY_MS);
    const plan = await home.plan({ kind: 'archive', filter: {}, before: clock.now() });
    await (await home.sessions.open('a')).tag({ add: ['x'] });
    expect(await home.apply(plan)).toMatchObject({ done: 1, skipped: 1 });
    expect((await home.sessions.get('a'))?.archivedAt).toBeUndefined();
    expect(existsSync(layout.transcript('a'))).toBe(true);
  });

  it('leaves an archive alone that was made anew since the plan was made', async () => {
    await aSession('a', [text('one')]);
    await archive();
    const plan = await home.plan({ kind: 'delete', ids: ['a'] });
    await restore('a');
    const session = await home.sessions.open('a');
    await session.resume();
    await session.append(text('two'));
    await session.end('done');
    clock.advance(HOUR_MS);
    await home.apply(await home.plan({ kind: 'archive', filter: {}, before: clock.now() }));
    const said: (string | undefined)[] = [];
    await home.apply(plan, { onOutcome: ({ detail }) => said.push(detail) });
    expect(said).toEqual(['It has changed since the plan was made.']);
    await restore('a');
  });

  it.each([
    [
      'a bundle that is damaged on its way to the disk',
      'The archive could not be read back as it was written.',
      damage,
    ],
    ['files that are added meanwhile', 'Its files changed while it was archived.', addFile],
  ])('keeps a session because of %s', async (_, sentence, meanwhile) => {
    await aSession('a', [text('one')]);
    await (await home.sessions.open('a')).dump({ url: 'https://example.com' });
    const { details } = await onceWritten(() => meanwhile(layout), archive);
    expect(details).toEqual({ a: sentence });
    expect((await home.sessions.get('a'))?.archivedAt).toBeUndefined();
    expect(await collect((await home.sessions.open('a')).messages())).toMatchObject([{ content: 'one' }]);
    expect(existsSync(layout.transcript('a'))).toBe(true);
  });

  it('removes archives past their retention, gives them back, and forgets them with their bundle', async () => {
    await aSession('a', [text('one')]);
    await archive();
    clock.advance(40 * DAY_MS);
    await home.close();
    home = await open({ key: 'archive.retention_days', value: '30' });
    const plan = await home.plan();
    const going = plan.decisions.filter(({ item }) => item.kind === 'archive');
    expect(going).toMatchObject([{ item: { id: 'a' }, action: 'remove', reason: 'archive-retention' }]);
    const { run } = await home.apply({ ...plan, decisions: going });
    expect(await home.sessions.get('a')).toBeUndefined();
    await home.undo(run.id);
    expect((await home.sessions.get('a'))?.archivedAt).toBe(NOW + 100 * DAY_MS);
    clock.advance(1000);
    const again = await home.apply(await home.plan({ kind: 'delete', ids: ['a'] }));
    expect(again.done).toBe(1);
    expect(bundles()).toHaveLength(1);
    await (await home.retention()).emptyTrash(again.run.id);
    expect(bundles()).toEqual([]);
    const items = await collect(
      (await home.retention()).items((await collect((await home.retention()).runs())).at(-1)?.id ?? ''),
    );
    expect(items.map(({ state }) => state)).toEqual(['purged']);
    await noProblems();
  });

  it('writes a bundle anew when most of it is dead, and the rest restores from the copy', async () => {
    const noise = (seed: number) =>
      Array.from({ length: 8000 }, (_, at) => ((at * seed * 2654435761) >>> 9).toString(36)).join('');
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await aSession(id, [text(noise(at + 3))]);
    await archive();
    const [first = ''] = bundles();
    const size = lstatSync(join(layout.archive, first)).size;
    const freed = await home.apply(await home.plan({ kind: 'delete', ids: ['a', 'b', 'c'] }));
    await (await home.retention()).emptyTrash(freed.run.id);
    const [second = ''] = bundles();
    expect(bundles()).toHaveLength(1);
    expect(second).not.toBe(first);
    expect(lstatSync(join(layout.archive, second)).size).toBeLessThan(size / 2);
    await restore('d');
    expect((await collect((await home.sessions.open('d')).messages())).map(({ content }) => content)).toEqual([
      noise(6),
    ]);
    await noProblems();
  });

  it('calls a bundle without a session debris, and removes it once it is old', async () => {
    await aSession('a', [text('one')]);
    await archive();
    const stale = join(layout.archive, '20200101T000000000Z-0011aabb.tar');
    for (const path of [stale, join(layout.archive, `.tmp-1-${'0'.repeat(16)}`)]) {
      writeFileSync(path, 'left');
      utimesSync(path, NOW / 1000, NOW / 1000);
    }
    writeFileSync(join(layout.archive, 'README'), 'mine');
    const { strays, problems } = await (await home.retention()).scan();
    expect(strays.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      `debris archive/.tmp-1-${'0'.repeat(16)}`,
      'debris archive/20200101T000000000Z-0011aabb.tar',
    ]);
    expect(problems.map(({ subject }) => subject)).toEqual(['archive/README']);
    const plan = await home.plan();
    const inUse = plan.decisions.map((each) =>
      each.item.id === 'archive/20200101T000000000Z-0011aabb.tar'
        ? { ...each, item: { ...each.item, id: `archive/${bundles()[1]}` } }
        : each,
    );
    await home.apply({ ...plan, decisions: inUse });
    expect(readdirSync(layout.archive).toSorted()).toEqual([bundles()[0], bundles()[1], 'README'].toSorted());
    await home.apply(await home.plan());
    expect(existsSync(stale)).toBe(false);
    expect(bundles()).toHaveLength(1);
    await restore('a');
  });

  it('archives by the rules, in maintenance too, and counts as used what it keeps', async () => {
    await home.close();
    home = await open({ key: 'sessions.archive_after_days', value: '30' });
    for (const id of ['a', 'b'])
      await aSession(
        id,
        Array.from({ length: 10 }, (_, at) => text(`${id} ${at}`)),
      );
    clock.set(NOW + 50 * DAY_MS);
    const retention = await home.retention();
    expect((await retention.maintain({ now: true })).status).toBe('announced');
    expect(await retention.maintain({ now: true })).toMatchObject({ status: 'done', archived: 2, removed: 0 });
    const { archives, disk } = await retention.scan();
    expect(archives.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(disk.usedBytes).toBeGreaterThan(lstatSync(join(layout.archive, bundles()[0] ?? '')).size);
    expect(await restore('a', 'b')).toEqual({ done: 2, skipped: 0 });
  });
});

/** Something of the size that a failing test can print. */
function hashed(content: string | Buffer): string {
  return content.length < 200 ? String(content) : createHash('sha1').update(content).digest('hex');
}

/** Every file and folder with its mode, its time to the microsecond, and its bytes. */
function filesBelow(root: string): Record<string, string> {
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

/** Does something when a file has been written and not yet been read back. */
async function onceWritten<T>(act: () => void, work: () => Promise<T>): Promise<T> {
  const real = fs.fsyncSync;
  fs.fsyncSync = (handle) => {
    real(handle);
    act();
  };
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fs.fsyncSync = real;
    syncBuiltinESMExports();
  }
}

/** The headers in a bundle take 512 bytes, and the first member follows its own. */
function damage(layout: NativeLayout): void {
  for (const name of existsSync(layout.archive) ? readdirSync(layout.archive) : []) {
    const handle = fs.openSync(join(layout.archive, name), 'r+');
    fs.writeSync(handle, 'damaged', 520);
    fs.closeSync(handle);
  }
}

function addFile(layout: NativeLayout): void {
  writeFileSync(join(layout.dumps('a'), '20260101T000000000Z-00000000.json'), '{}');
}
