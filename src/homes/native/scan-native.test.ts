import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { manualClock, NOW } from '../../../test/support/clock.ts';
import { user } from '../../../test/support/collect.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time.ts';
import { recordClock } from '../../keeping/liveness/clock-watch.ts';
import { nativeLayout } from './native-layout.ts';
import { scanNative } from './scan-native.ts';

describe('scanNative', () => {
  let root: string;
  let store: SessionStore;
  const clock = manualClock();

  beforeEach(async () => {
    root = tempDir();
    clock.set(NOW);
    store = await openNativeStore(root, { clock });
    return () => store[Symbol.asyncDispose]();
  });

  const scan = () => scanNative({ store, layout: nativeLayout(root), clock, activeGraceMs: 15 * MINUTE_MS });

  function write(path: string, text = 'text'): void {
    mkdirSync(join(root, 'sessions', path, '..'), { recursive: true });
    writeFileSync(join(root, 'sessions', path), text);
  }

  it('finds an empty home empty', async () => {
    expect(await scan()).toMatchObject({
      scannedAt: NOW,
      sessions: [],
      strays: [],
      trash: [],
      problems: [],
      doubts: [],
    });
  });

  it('counts the files of each session as its own, and says which are in use', async () => {
    await store.create({ id: 'held', source: 'cli' });
    await store.create({ id: 'ended', source: 'cli' });
    await store.append('ended', [user('hello')]);
    await store.end('ended', 'done');
    const { sessions, strays } = await scan();
    const facts = await store.get('ended');
    const layout = nativeLayout(root);
    const blocksOf = (file: string) => lstatSync(file).blocks * 512;
    expect(strays).toEqual([]);
    expect(sessions.find(({ id }) => id === 'ended')).toMatchObject({
      active: false,
      messageCount: 1,
      bytes: {
        rows: facts?.contentBytes,
        transcript: blocksOf(layout.transcript('ended')),
        dumps: 0,
        other: blocksOf(layout.sessionDir('ended')),
      },
    });
    expect(sessions.find(({ id }) => id === 'held')).toMatchObject({ active: true });
  });

  it('gives a session another fingerprint with every change that a decision rests on', async () => {
    await store.create({ id: 's', source: 'cli' });
    const seen = new Set<string>();
    const look = async () => seen.add((await scan()).sessions[0]?.fingerprint ?? '');
    await look();
    for (const change of [
      () => store.append('s', [user('hello')]),
      () => store.change('s', { pinned: true }),
      () => store.change('s', { addTags: ['keep'] }),
      () => store.recordDumps('s', { sizeBytes: 10 }),
      () => store.end('s', 'done'),
    ]) {
      await change();
      await look();
    }
    expect(seen.size).toBe(6);
  });

  it('calls orphan only a folder that holds nothing but what Coppice writes', async () => {
    write('ff/orphan/transcript.jsonl');
    write('ff/mixed/transcript.jsonl');
    write('ff/mixed/notes.txt');
    write('ff/loose.txt');
    write('README');
    write(`ff/broken/.tmp-1-${'0'.repeat(16)}`);
    const { strays, problems } = await scan();
    expect(strays.map(({ kind, id }) => [kind, id])).toEqual([
      ['debris', `sessions/ff/broken/.tmp-1-${'0'.repeat(16)}`],
      ['orphan', 'sessions/ff/broken'],
      ['orphan', 'sessions/ff/orphan'],
    ]);
    expect(problems.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['unknown-file', 'sessions/README'],
      ['unknown-file', 'sessions/ff/loose.txt'],
      ['unknown-file', 'sessions/ff/mixed/notes.txt'],
    ]);
  });

  it('doubts its clock when time has gone back', async () => {
    await recordClock(store, manualClock(NOW + DAY_MS));
    expect((await scan()).doubts).toEqual(['clock-suspect']);
  });
});
