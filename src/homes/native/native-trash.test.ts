import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { RunItem } from '../../core/retention/run.ts';
import type { RunTrash } from '../../keeping/run-trash.ts';
import { type NativeLayout, nativeLayout } from './native-layout.ts';
import { openNativeTrash } from './native-trash.ts';

const RUN = 'run';

function anItem(action: RunItem['action'], item: RunItem['item'] = { kind: 'session', id: 's' }): RunItem {
  const rest = { reason: 'named', fingerprint: '', sizeBytes: 0, skipsTrash: false, state: 'intended' } as const;
  return { number: 1, item, action, ...rest };
}

describe('the trash of a native home', () => {
  let layout: NativeLayout;
  let trash: RunTrash;

  beforeEach(() => {
    layout = nativeLayout(tempDir());
    trash = openNativeTrash(layout, RUN);
    mkdirSync(layout.dumps('s'), { recursive: true });
    writeFileSync(layout.transcript('s'), 'transcript');
    writeFileSync(join(layout.dumps('s'), 'one.json'), 'one');
  });

  const inTrash = () => readdirSync(layout.trash(RUN), { recursive: true }).map(String).toSorted();

  it.each([
    ['remove', ['1', '1/dumps', '1/dumps/one.json', '1/transcript.jsonl']],
    ['drop-files', ['1', '1/dumps', '1/dumps/one.json', '1/transcript.jsonl']],
    ['drop-dumps', ['1', '1/dumps', '1/dumps/one.json']],
  ] as const)('takes what a %s takes and gives it back, however often it is asked', (action, taken) => {
    const item = anItem(action);
    expect([trash.take(item), trash.take(item)]).toEqual([true, true]);
    expect(inTrash()).toEqual(taken);
    expect([trash.bringBack(item), trash.bringBack(item)]).toEqual([true, true]);
    expect(readFileSync(layout.transcript('s'), 'utf8')).toBe('transcript');
    expect(readdirSync(layout.dumps('s'))).toEqual(['one.json']);
  });

  it('says that there is nothing to take', () => {
    expect(trash.take(anItem('remove', { kind: 'session', id: 'unknown' }))).toBe(false);
    expect(trash.take(anItem('remove', { kind: 'orphan', id: 'sessions/ff/gone' }))).toBe(false);
  });

  it('gives nothing back while something stands in the place of one file', () => {
    const item = anItem('drop-files');
    trash.take(item);
    writeFileSync(layout.transcript('s'), 'new');
    expect(trash.bringBack(item)).toBe(false);
    expect(existsSync(layout.dumps('s'))).toBe(false);
    expect(readFileSync(layout.transcript('s'), 'utf8')).toBe('new');
  });

  it('lets go of everything whose place is free, inside folders too', () => {
    const item = anItem('remove');
    trash.take(item);
    mkdirSync(layout.dumps('s'), { recursive: true });
    writeFileSync(layout.transcript('s'), 'new');
    writeFileSync(join(layout.dumps('s'), 'two.json'), 'two');
    trash.letGo(item);
    expect(readFileSync(layout.transcript('s'), 'utf8')).toBe('new');
    expect(readdirSync(layout.dumps('s')).toSorted()).toEqual(['one.json', 'two.json']);
    expect(readFileSync(join(layout.trash(RUN), '1', 'transcript.jsonl'), 'utf8')).toBe('transcript');
  });

  it('removes for good only the item that it is told to', async () => {
    trash.note([anItem('remove')]);
    trash.take(anItem('remove'));
    mkdirSync(join(layout.trash(RUN), '10'));
    await trash.purge(anItem('remove'));
    await trash.purge(anItem('remove'));
    expect(inTrash()).toEqual(['10', 'manifest.jsonl']);
  });

  it('leaves nothing of a run whose items have all left, and everything of one that holds some', async () => {
    const [first, second] = [
      anItem('drop-files'),
      { ...anItem('remove', { kind: 'session', id: 'other' }), number: 2 },
    ];
    mkdirSync(layout.sessionDir('other'), { recursive: true });
    trash.note([first, second]);
    trash.take(first);
    trash.take(second);
    trash.bringBack(first);
    trash.tidy([first]);
    expect(inTrash()).toEqual(['2', 'manifest.jsonl']);
    await trash.purge(second);
    trash.tidy([second]);
    expect(existsSync(layout.trash(RUN))).toBe(false);
    trash.tidy([second]);
  });

  it('notes what it is about to take, a line each', () => {
    trash.note([anItem('remove')]);
    trash.note([{ ...anItem('drop-dumps'), number: 2 }]);
    const lines = readFileSync(join(layout.trash(RUN), 'manifest.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { number: 1, kind: 'session', id: 's', action: 'remove', reason: 'named' },
      { number: 2, kind: 'session', id: 's', action: 'drop-dumps', reason: 'named' },
    ]);
  });
});
