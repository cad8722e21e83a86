import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { PlanRequest } from '../../src/core/retention/plan.ts';
import { SEARCH_NOW, searchDesk, sessionId } from '../support/search-desk.ts';

describe('the search index over homes of other agents', () => {
  it('finds words, phrases, parts of words and every script, and leaves out what is unwanted', async () => {
    const { write, find } = searchDesk();
    write(1, ['The quick brown fox jumps over the lazy dog']);
    write(2, ['Größe und Übermaß', 'cafés de Paris']);
    write(3, ['数据库已满，请清理磁盘', 'データベースがいっぱいです']);
    write(4, ['Полный диск', 'go to C++ and AI']);
    write(5, ['disk, full!', 'diskette']);
    expect(await find('fox')).toEqual([1]);
    expect(await find('FOX quick')).toEqual([1]);
    expect(await find('"brown fox"')).toEqual([1]);
    expect(await find('"fox brown"')).toEqual([]);
    expect(await find('rown')).toEqual([1]);
    expect(await find('fox -lazy')).toEqual([]);
    expect(await find('grosse')).toEqual([]);
    expect(await find('große')).toEqual([2]);
    expect(await find('grö')).toEqual([2]);
    expect(await find('cafes')).toEqual([2]);
    expect(await find('磁盘')).toEqual([3]);
    expect(await find('盘')).toEqual([3]);
    expect(await find('データ')).toEqual([3]);
    expect(await find('диск')).toEqual([4]);
    expect(await find('go')).toEqual([4]);
    expect(await find('AI')).toEqual([4]);
    expect(await find('C++')).toEqual([4]);
    expect(await find('"disk full"')).toEqual([5]);
    expect(await find('disk')).toEqual([5]);
    expect(await find('"quoted OR NEAR(" fox*')).toEqual([]);
  });

  it('says where it stands, with the place marked, and ranks whole words before parts of them', async () => {
    const { write, open } = searchDesk();
    write(1, ['nothing', 'a needlework']);
    write(2, ['nothing', 'nothing', 'one needle in the hay']);
    await using home = await open();
    const hits = await home.sessions.search({ text: 'needle' });
    expect(hits.map(({ session, match, message }) => [session.id, match, message?.seq, message?.role])).toEqual([
      [sessionId(2), 'words', 3, 'user'],
      [sessionId(1), 'part', 2, 'user'],
    ]);
    const [{ excerpt, session } = { excerpt: undefined, session: undefined }] = hits;
    expect(excerpt?.marks.map(([from, to]) => excerpt.text.slice(from, to))).toEqual(['needle']);
    expect(session?.messageCount).toBe(3);
  });

  it('that was stopped while it was made calls nothing unreadable, and is made whole by whoever asks next', async () => {
    const { write, open, find, gaps } = searchDesk();
    write(1, [...Array.from({ length: 300 }, (_, n) => `${n} ${'word '.repeat(2000)}`), 'zebra']);
    const stop = new AbortController();
    {
      await using home = await open();
      const options = { signal: stop.signal, onProgress: () => stop.abort() };
      await expect(home.sessions.search({ text: 'zebra' }, options)).rejects.toThrow('aborted');
    }
    expect(await gaps()).toMatchObject({ unread: { sessions: 0 }, unreadable: 0 });
    expect(await find('zebra')).toEqual([1]);
  });

  it('reads only what was added to a transcript, and all of one that was written anew', async () => {
    const { write, append, find, index } = searchDesk();
    write(1, ['alpha']);
    expect(await find('alpha')).toEqual([1]);
    const read = partsOf(index);
    append(1, 'beta');
    expect(await find('beta')).toEqual([1]);
    expect(await find('alpha')).toEqual([1]);
    const grown = partsOf(index);
    expect(grown.map(({ messages }) => messages)).toEqual([2]);
    // The same row: nothing of it was read again.
    expect(grown.map(({ key }) => key)).toEqual(read.map(({ key }) => key));
    write(1, ['gamma', 'delta', 'epsilon']);
    expect(await find('alpha')).toEqual([]);
    expect(await find('beta')).toEqual([]);
    expect(await find('epsilon')).toEqual([1]);
  });

  it('does not read what stood before again', async () => {
    const { write, append, find, pathOf } = searchDesk();
    write(1, ['x'.repeat(6000), 'alpha', 'y'.repeat(6000)]);
    expect(await find('alpha')).toEqual([1]);
    // Between its beginning and its end, where only whoever reads all of it would look.
    const changed = readFileSync(pathOf(1), 'utf8').replace('alpha', 'omega');
    writeFileSync(pathOf(1), changed);
    append(1, 'beta');
    expect(await find('beta')).toEqual([1]);
    expect(await find('alpha')).toEqual([1]);
  });

  it('finds nothing of what was cut off, rotated away or deleted', async () => {
    const { write, find, remove, pathOf } = searchDesk();
    write(1, ['alpha', 'beta']);
    write(2, ['gamma']);
    expect(await find('beta')).toEqual([1]);
    truncateSync(pathOf(1), readFileSync(pathOf(1), 'utf8').indexOf('beta') - 120);
    expect(await find('beta')).toEqual([]);
    expect(await find('alpha')).toEqual([1]);
    rmSync(pathOf(1));
    write(1, ['a wholly other file', 'delta']);
    expect(await find('alpha')).toEqual([]);
    expect(await find('delta')).toEqual([1]);
    remove(2);
    expect(await find('gamma')).toEqual([]);
  });

  it('follows a session into the trash, back, into the archive and back', async () => {
    const { write, find, open } = searchDesk();
    write(1, ['a prompt', 'the answer is heliotrope', 'x'.repeat(100)]);
    write(2, ['something else']);
    expect(await find('heliotrope')).toEqual([1]);
    const act = async (request: PlanRequest) => {
      await using home = await open();
      const { run, done } = await home.apply(await home.plan(request));
      expect(done).toBeGreaterThan(0);
      return run.id;
    };
    const undo = async (run: string) => {
      await using home = await open();
      await home.undo(run);
    };
    const deleted = await act({ kind: 'delete', ids: [sessionId(1)] });
    expect(await find('heliotrope')).toEqual([]);
    await undo(deleted);
    expect(await find('heliotrope')).toEqual([1]);
    const archived = await act({ kind: 'archive', filter: {}, before: SEARCH_NOW - 1000 });
    expect(await find('heliotrope')).toEqual([1]);
    {
      await using home = await open();
      const [hit] = await home.sessions.search({ text: 'heliotrope' });
      expect(hit?.session.archivedAt).toBeGreaterThan(0);
      expect(hit?.message?.seq).toBe(2);
      // Built anew, it is read out of the bundle.
      await home.sessions.dropIndex();
    }
    expect(await find('heliotrope')).toEqual([1]);
    await undo(archived);
    expect(await find('heliotrope')).toEqual([1]);
  });

  it('leaves no word behind after a purge', async () => {
    const { write, find, open, index, isAnywhere } = searchDesk();
    write(1, ['heliotrope '.repeat(40)]);
    write(2, ['something else']);
    expect(await find('heliotrope')).toEqual([1]);
    expect(wordsIn(index)).toContain('heliotrope');
    await using home = await open();
    const { run } = await home.apply(await home.plan({ kind: 'delete', ids: [sessionId(1)] }));
    await (await home.retention()).emptyTrash(run.id, { forget: true });
    expect(isAnywhere('heliotrope')).toBe(false);
    expect(wordsIn(index)).not.toContain('heliotrope');
    expect(piecesIn(index)).not.toContain('hel');
    expect(await find('something')).toEqual([2]);
  });

  it('is private, and harmless to delete or to damage', async () => {
    const { write, find, index } = searchDesk();
    write(1, ['alpha']);
    expect(await find('alpha')).toEqual([1]);
    expect(statSync(index).mode & 0o777).toBe(0o600);
    for (const suffix of ['', '-wal', '-shm']) rmSync(index + suffix, { force: true });
    expect(await find('alpha')).toEqual([1]);
    writeFileSync(index, 'this is no database');
    expect(await find('alpha')).toEqual([1]);
  });

  it('counts what cannot be read, and goes on', async () => {
    const { write, gaps, pi, find, open } = searchDesk();
    write(1, ['alpha', 'violet']);
    {
      await using home = await open();
      await home.apply(await home.plan({ kind: 'archive', filter: {}, before: SEARCH_NOW - 1000 }));
    }
    write(2, ['beta']);
    const archive = join(pi, '.coppice', 'archive');
    const [bundle = ''] = readdirSync(archive);
    truncateSync(join(archive, bundle), 700);
    expect(await gaps()).toMatchObject({ unreadable: 1, unread: { sessions: 0 }, stopped: undefined });
    expect(await find('beta')).toEqual([2]);
    // What was asked in it is still known.
    expect(await find('violet')).toEqual([1]);
  });

  it('takes whatever a transcript holds', async () => {
    const { write, put, append, find, pathOf } = searchDesk();
    write(1, ['before']);
    put(2, `${readFileSync(pathOf(1), 'utf8').replace(sessionId(1), sessionId(2))}{"type":"mess`);
    put(3, '\u0000\u0001 no json at all\n'.repeat(50));
    write(4, ['a lone \ud800 surrogate', 'nul \0 inside', '\uE000go\uE001 \uE002', 'word '.repeat(60_000)]);
    write(5, []);
    expect(await find('before')).toEqual([1, 2].toReversed());
    expect(await find('surrogate')).toEqual([4]);
    expect(await find('inside')).toEqual([4]);
    append(4, 'after all of that');
    expect(await find('"after all of that"')).toEqual([4]);
  });

  it('finds what was read when there was no time for the rest, and says so', async () => {
    const { write, gaps, find } = searchDesk();
    for (let number = 1; number <= 5; number += 1) write(number, ['alpha']);
    expect((await gaps(0))?.unread.sessions).toBe(5);
    expect((await gaps())?.unread.sessions).toBe(0);
    expect(await find('alpha')).toHaveLength(5);
  });

  it('stays within its limit: what is oldest is found by its title alone', async () => {
    const { write, own, gaps, find, index, append } = searchDesk();
    const words = (seed: number) =>
      Array.from({ length: 6000 }, (_, at) => ((at * 7919 + seed * 104_729) % 1e9).toString(36)).join(' ');
    for (let number = 1; number <= 60; number += 1) write(number, [`title of ${number}`, words(number), 'needle']);
    expect((await gaps())?.leftOut).toBe(0);
    expect(await find('needle')).toHaveLength(60);
    writeFileSync(`${own}/config.yaml`, 'homes:\n  search_max_mb: 1\n');
    append(60, 'one more');
    const left = (await gaps())?.leftOut ?? 0;
    expect(left).toBeGreaterThan(20);
    expect(left).toBeLessThan(60);
    expect(statSync(index).size).toBeLessThan(1.2 * 1024 * 1024);
    const found = await find('needle');
    // The newest stay, and nothing flutters in and out.
    expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 - left }, (_, at) => left + at + 1));
    expect((await gaps())?.leftOut).toBe(left);
    expect(await find('"title of 1"')).toContain(1);
  });
});

interface PartRow {
  readonly key: number;
  readonly messages: number;
}

function asked<T>(index: string, sql: string): T[] {
  const db = new Database(index, { readonly: true });
  try {
    return db.prepare<[], T>(sql).all();
  } finally {
    db.close();
  }
}

const partsOf = (index: string) => asked<PartRow>(index, 'SELECT key, messages FROM parts');
const wordsIn = (index: string) =>
  asked<{ body: Buffer }>(index, 'SELECT body FROM texts')
    .map(({ body }) => brotliDecompressSync(body).toString())
    .join('\n');
const piecesIn = (index: string) =>
  asked<{ term: string }>(index, 'SELECT term FROM block_terms').map(({ term }) => term);
