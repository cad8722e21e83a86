import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ArchiveDesk, openArchiveDesk } from '../support/archive-desk.ts';
import { NOW } from '../support/clock.ts';
import { collect, user } from '../support/collect.ts';

let desk: ArchiveDesk;

beforeEach(async () => {
  desk = await openArchiveDesk();
});

describe('the archive of a native home', () => {
  it('gives back sessions of every kind exactly as they were', async () => {
    await desk.add('empty', []);
    await desk.add('日本語 / ../é', [user('磁盘已满 \u0000 \ud800 lone'), user('𝄞'.repeat(10))]);
    await desk.add('x'.repeat(500), [
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'bash', arguments: { command: 'ls\n' } }] },
      { role: 'tool', toolCallId: 'c', name: 'bash', content: 'a\nb', failed: true },
      { role: 'assistant', content: [{ type: 'text', text: 'parts' }], model: 'm', metadata: { deep: [{ x: null }] } },
    ]);
    await desk.add('huge', [user('long '.repeat(1_200_000)), user('short')]);
    await desk.add(
      'many',
      Array.from({ length: 1201 }, (_, at) => user(`number ${at}`)),
    );
    const odd = await desk.home.sessions.create({
      id: 'odd files',
      source: 'cron',
      tags: ['a', 'b'],
      workdir: '/w',
      title: 't',
    });
    await odd.append(user('with a dump'));
    await odd.dump({ url: 'https://example.com', body: { binary: '\u0000\uffff' } });
    await odd.recordUsage({ model: 'm1', inputTokens: 10, costUsd: 0.123456789 });
    await odd.recordUsage({ model: 'm2', outputTokens: 3 });
    await odd.end('done');
    const directory = desk.layout.sessionDir('odd files');
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

    const before = desk.everything();
    const { runId, details } = await desk.archive();
    expect(details).toEqual({
      empty: 'done',
      '日本語 / ../é': 'done',
      ['x'.repeat(500)]: 'done',
      huge: 'done',
      many: 'done',
      'odd files': 'done',
    });
    expect((await collect(desk.home.sessions.list())).map(({ id }) => id)).toEqual(['newest']);
    expect(existsSync(directory)).toBe(false);
    await desk.noProblems();

    expect(await desk.home.undo(runId)).toMatchObject({ done: 6, skipped: 0 });
    expect(desk.everything()).toEqual(before);
    expect(desk.bundles()).toEqual([]);
    // The files that Coppice did not write are back, and it says so.
    const problems = (await collect(desk.home.check())).flatMap((check) => check.problems);
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
          desk.clock.set(NOW);
          const id = `hostile ${(count += 1)}`;
          await desk.reopen({ key: 'archive.codec', value: by });
          await desk.add(id, messages);
          mkdirSync(desk.layout.sessionDir(id), { recursive: true });
          for (const [name, data] of files) writeFileSync(join(desk.layout.sessionDir(id), `file ${name}`), data);
          const before = desk.everything();
          const { details } = await desk.archive();
          expect(details[id]).toBe('done');
          expect(await desk.restore(...Object.keys(details))).toMatchObject({ skipped: 0 });
          expect(desk.everything()).toEqual(before);
        },
      ),
      { numRuns: 8 },
    );
  });

  it.each(['brotli', 'gzip'])('is read by standard tools, packed by %s', async (codec) => {
    await desk.reopen({ key: 'archive.codec', value: codec });
    await desk.add('one', [user('hello there')]);
    await desk.add('two', [user('hello again')]);
    await desk.archive();
    const [bundle = ''] = desk.bundles();
    const path = join(desk.layout.archive, bundle);
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
    expect(lines[0]).toEqual({ format: 'coppice-archive', version: 2 });
    expect(lines.slice(1).map(({ kind }) => kind)).toEqual(['session', 'message', 'folder', 'file', 'data']);
    expect(lines[2]).toMatchObject({ kind: 'message', message: { seq: 1, role: 'user', content: 'hello again' } });
  });

  it('restores one session by its id and leaves the others', async () => {
    await desk.add('a', [user('one')]);
    await desk.add('b', [user('two')]);
    await desk.archive();
    expect(await desk.restore('a')).toEqual({ done: 1, skipped: 0 });
    expect((await collect(desk.home.sessions.list({ archived: true }))).map(({ id }) => id)).toEqual(['b']);
    expect((await collect((await desk.home.sessions.open('a')).messages())).map(({ content }) => content)).toEqual([
      'one',
    ]);
    await expect(desk.restore('a')).rejects.toMatchObject({ code: 'refused', message: 'Session a is not archived.' });
    await expect(desk.restore('nowhere')).rejects.toMatchObject({ code: 'not-found' });
    const session = await desk.home.sessions.open('b');
    await expect(session.dump({ url: 'https://example.com' })).rejects.toMatchObject({ code: 'refused' });
    expect(existsSync(desk.layout.sessionDir('b'))).toBe(false);
  });

  it('takes a session into the archive again after it was restored', async () => {
    await desk.add('a', [user('one')]);
    const { runId } = await desk.archive();
    await desk.restore('a');
    const before = desk.everything();
    await desk.archive(101);
    // The first run gave it back already.
    expect(await desk.home.undo(runId)).toMatchObject({ done: 0, skipped: 0 });
    expect((await desk.home.sessions.get('a'))?.archivedAt).toBe(desk.clock.now());
    await desk.restore('a');
    expect(desk.everything()).toEqual(before);
  });
});
