import { lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { user } from '../../../test/support/collect.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { transcriptDifferences } from '../../../test/support/transcript-differences.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { type NativeLayout, nativeLayout } from './native-layout.ts';
import { createTranscriptFiles } from './transcript-files.ts';

describe('transcript files', () => {
  let layout: NativeLayout;
  let store: SessionStore;
  let path: string;
  let session: SessionFacts;

  beforeEach(async () => {
    layout = nativeLayout(tempDir());
    store = await openNativeStore(layout.root);
    session = await store.create({ id: 's', source: 'cli', workdir: '/srv/work' });
    path = layout.transcript('s');
  });
  afterEach(() => store[Symbol.asyncDispose]());

  const say = (...texts: string[]) => store.append('s', texts.map(user));
  const differences = () => transcriptDifferences(store, 's', path);
  const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);

  it('begin with a header and hold one line for each message', async () => {
    expect(await say('first', 'second\nline\u2028break')).toMatchObject({ problems: [] });
    expect(await say('third')).toMatchObject({ problems: [] });
    expect(lines().map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        coppice: 'transcript',
        version: 1,
        session: 's',
        source: 'cli',
        startedAt: '2026-01-15T12:00:00.000Z',
        workdir: '/srv/work',
      },
      { seq: 1, at: '2026-01-15T12:00:00.000Z', role: 'user', content: 'first' },
      { seq: 2, at: '2026-01-15T12:00:00.000Z', role: 'user', content: 'second\nline\u2028break' },
      { seq: 3, at: '2026-01-15T12:00:00.000Z', role: 'user', content: 'third' },
    ]);
    expect((await store.get('s'))?.transcriptBytes).toBe(statSync(path).size);
  });

  it('name the parent of a child', async () => {
    await store.create({ id: 'child', source: 'cli', parentId: 's', childKind: 'subagent' });
    await store.append('child', [user('x')]);
    const [header = ''] = readFileSync(layout.transcript('child'), 'utf8').split('\n');
    expect(JSON.parse(header)).toMatchObject({ session: 'child', parentId: 's', childKind: 'subagent' });
  });

  it('hold any content exactly', async () => {
    await say('half \ud83d', 'NUL \0', '🌲', '\r\n', '');
    await store.append('s', [{ role: 'assistant', content: [{ type: 'image', data: 'AAAA' }], metadata: { n: null } }]);
    expect(await differences()).toEqual([]);
  });

  it('are for their owner only, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await say('x');
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (let dir = dirname(path); dir !== layout.root; dir = dirname(dir))
      expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('are not written for sources that want none, and are complete once they do', async () => {
    await store[Symbol.asyncDispose]();
    store = await openNativeStore(layout.root, {
      transcripts: createTranscriptFiles(layout, (source) => source !== 'cli'),
    });
    expect(await say('a', 'b')).toMatchObject({ problems: [] });
    expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined();
    expect((await store.get('s'))?.transcriptBytes).toBe(0);
    await store[Symbol.asyncDispose]();
    store = await openNativeStore(layout.root);
    expect(await say('c')).toMatchObject({ firstSeq: 3, problems: [] });
    expect(await differences()).toEqual([]);
  });

  it('are complete again after a time without', async () => {
    await say('a');
    await store[Symbol.asyncDispose]();
    store = await openNativeStore(layout.root, { transcripts: createTranscriptFiles(layout, () => false) });
    await say('b', 'c');
    await store[Symbol.asyncDispose]();
    store = await openNativeStore(layout.root);
    expect(await say('d')).toMatchObject({ problems: [] });
    expect(await differences()).toEqual([]);
  });

  it('never stop a message from being stored, and catch up when the cause is gone', async () => {
    mkdirSync(layout.sessions);
    const inTheWay = dirname(dirname(path));
    writeFileSync(inTheWay, 'a file where a directory should be');
    const { problems } = await say('a');
    expect(problems).toMatchObject([{ kind: 'transcript-not-written', subject: 's' }]);
    expect(await say('b')).toMatchObject({ firstSeq: 2, problems: [{ kind: 'transcript-not-written' }] });
    expect(await store.get('s')).toMatchObject({ messageCount: 2, transcriptBytes: 0 });
    expect(readFileSync(inTheWay, 'utf8')).toBe('a file where a directory should be');
    rmSync(inTheWay);
    expect(await say('c')).toMatchObject({ problems: [] });
    expect(await differences()).toEqual([]);
  });

  it.each([
    ['a link to a file', (target: string) => symlinkSync(target, path)],
    ['a link to nothing', () => symlinkSync(join(layout.root, 'nothing'), path)],
    ['a directory', () => mkdirSync(path)],
  ])('do not follow or replace %s in their place', async (_what, place) => {
    await say('a');
    const target = join(layout.root, 'precious');
    writeFileSync(target, 'precious');
    rmSync(path);
    place(target);
    expect(await say('b')).toMatchObject({ firstSeq: 2, problems: [{ kind: 'transcript-not-written' }] });
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(lstatSync(join(layout.root, 'nothing'), { throwIfNoEntry: false })).toBeUndefined();
    expect(lstatSync(path).isFile()).toBe(false);
    rmSync(path, { recursive: true });
    await say('c');
    expect(await differences()).toEqual([]);
  });

  it('of strange ids stay inside the home and apart', async () => {
    for (const id of ['../../x', 'a/b', 'A', 'a', 'CON', '*', 'x'.repeat(300), '🌲']) {
      await store.create({ id, source: 'cli' });
      await store.append(id, [user(id)]);
      expect(layout.transcript(id).startsWith(`${layout.sessions}/`)).toBe(true);
      expect(await transcriptDifferences(store, id, layout.transcript(id))).toEqual([]);
    }
  });

  it('take back what they wrote of a write that failed', async () => {
    await say('a');
    const before = readFileSync(path);
    const mark = { seq: 1, sizeBytes: before.length };
    const { mark: after, problems } = createTranscriptFiles(layout, () => true).write({
      session,
      mark,
      fresh: [message(4)],
      *stored() {
        yield { ...message(2), content: 'x'.repeat(3_000_000) };
        throw new Error('the disk failed');
      },
    });
    expect(after).toEqual(mark);
    expect(problems).toMatchObject([{ kind: 'transcript-not-written' }]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('are filled up as a stream, however long the session is', () => {
    const count = 100_000;
    let onDiskBeforeTheEnd = 0;
    const sink = createTranscriptFiles(layout, () => true);
    const { mark, problems } = sink.write({
      session,
      mark: { seq: 0, sizeBytes: 0 },
      fresh: [message(count)],
      *stored(from, to) {
        for (let seq = from; seq <= to; seq += 1) {
          if (seq === to) onDiskBeforeTheEnd = statSync(path).size;
          yield message(seq);
        }
      },
    });
    expect(problems).toEqual([]);
    expect(mark).toEqual({ seq: count, sizeBytes: statSync(path).size });
    expect(onDiskBeforeTheEnd).toBeGreaterThan(mark.sizeBytes / 2);
    const written = lines();
    expect(written).toHaveLength(count + 1);
    expect(written.every((line, index) => index === 0 || (JSON.parse(line) as Message).seq === index)).toBe(true);
  });
});

function message(seq: number): Message {
  return { seq, at: NOW, role: 'user', content: `message ${seq}` };
}
