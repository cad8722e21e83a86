import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { collect, user } from '../../../test/support/collect.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { transcriptDifferences } from '../../../test/support/transcript-differences.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { type NativeLayout, nativeLayout } from './native-layout.ts';
import { writeDump } from './request-dumps.ts';

describe('what is written into a home', () => {
  let layout: NativeLayout;
  let store: SessionStore;
  let outside: string;
  const RULES = { maxCount: 1, maxAgeMs: 1, redactBodies: false };

  beforeEach(async () => {
    const root = tempDir();
    outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'transcript.jsonl'), 'not yours\n');
    layout = nativeLayout(join(root, 'home'));
    mkdirSync(layout.root);
    store = await openNativeStore(layout.root);
    onTestFinished(() => store[Symbol.asyncDispose]());
    await store.create({ id: 's', source: 'cli' });
  });

  /** Writes two messages around a change, and expects that both are stored and only told about. */
  async function goesAround(change: () => void, putRight: () => void): Promise<void> {
    await store.append('s', [user('one')]);
    change();
    const { problems } = await store.append('s', [user('two')]);
    expect(problems).toMatchObject([{ kind: 'transcript-not-written', subject: 's' }]);
    expect(problems[0]?.message).not.toContain('..');
    expect(readdirSync(outside)).toEqual(['transcript.jsonl']);
    expect(readFileSync(join(outside, 'transcript.jsonl'), 'utf8')).toBe('not yours\n');
    expect((await collect(store.messages('s'))).map(({ content }) => content)).toEqual(['one', 'two']);
    putRight();
    expect(await store.append('s', [user('three')])).toBeDefined();
    expect(await transcriptDifferences(store, 's', layout.transcript('s'))).toEqual([]);
  }

  it.each([
    ['the directory of a session', () => layout.sessionDir('s')],
    ['a shard', () => dirname(layout.sessionDir('s'))],
    ['the folder of all sessions', () => layout.sessions],
  ])('goes through no link in place of %s, and catches up later', async (_, place) => {
    await goesAround(
      () => {
        renameSync(place(), `${place()}-moved`);
        symlinkSync(outside, place());
      },
      () => {
        rmSync(place());
        renameSync(`${place()}-moved`, place());
      },
    );
  });

  it('goes into no file that has another name elsewhere', async () => {
    const path = layout.transcript('s');
    await goesAround(
      () => {
        rmSync(path);
        linkSync(join(outside, 'transcript.jsonl'), path);
      },
      () => rmSync(path),
    );
  });

  it('is no request dump behind a link, and makes no room there', async () => {
    mkdirSync(layout.sessionDir('s'), { recursive: true });
    const old = join(outside, '20200101T000000000Z-01234567.json');
    writeFileSync(old, 'not yours');
    symlinkSync(outside, layout.dumps('s'));
    expect(() => writeDump(layout, 's', { dump: { url: 'https://example.org' }, rules: RULES, now: NOW })).toThrow(
      'is a link',
    );
    expect(readdirSync(outside).toSorted()).toEqual(['20200101T000000000Z-01234567.json', 'transcript.jsonl']);
  });
});
