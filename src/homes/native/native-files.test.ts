import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { type NativeFile, nativeFiles } from './native-files.ts';
import { nativeLayout } from './native-layout.ts';

/** Puts a file below `sessions/`. */
function put(root: string, path: string): void {
  const file = join(root, 'sessions', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'x');
}

/** Neither the directory of a session nor any other. */
function isFile({ kind }: NativeFile): boolean {
  return kind !== 'session-dir' && kind !== 'folder';
}

describe('the files of a native home', () => {
  it('are none before the first transcript', () => {
    expect([...nativeFiles(nativeLayout(tempDir()))]).toEqual([]);
  });

  it('are named by what they are, and everything else is unknown', () => {
    const root = tempDir();
    const kinds = {
      'ab/s/transcript.jsonl': 'transcript',
      'ab/s/unacknowledged-120-1.jsonl': 'unacknowledged',
      'ab/s/unacknowledged-.jsonl': 'unknown',
      'ab/s/notes.txt': 'unknown',
      'ab/s/.tmp-12-0123456789abcdef': 'temporary',
      'ab/s/dumps/20260115T120000000Z-01234567.json': 'dump',
      'ab/s/dumps/.tmp-12-0123456789abcdef': 'temporary',
      'ab/s/dumps/other.json': 'unknown',
      'ab/s/dumps/transcript.jsonl': 'unknown',
      'ab/s/other/20260115T120000000Z-01234567.json': 'unknown',
      'ab/s/dumps/deep/20260115T120000000Z-01234567.json': 'unknown',
      'ab/transcript.jsonl': 'unknown',
      'transcript.jsonl': 'unknown',
    };
    for (const path of Object.keys(kinds)) put(root, path);
    const found = [...nativeFiles(nativeLayout(root))].filter(isFile);
    expect(Object.fromEntries(found.map(({ path, kind }) => [path, kind]))).toEqual(kinds);
  });

  it('include each session directory once', () => {
    const root = tempDir();
    put(root, 'ab/one/transcript.jsonl');
    put(root, 'ab/two/dumps/x.json');
    const dirs = [...nativeFiles(nativeLayout(root))].filter(({ kind }) => kind === 'session-dir');
    expect(dirs.map(({ path }) => path)).toEqual(['ab/one', 'ab/two']);
  });

  it('never include what a link points to', () => {
    const root = tempDir();
    put(root, 'ab/s/transcript.jsonl');
    mkdirSync(join(root, 'elsewhere', 'deep'), { recursive: true });
    writeFileSync(join(root, 'elsewhere', 'deep', 'transcript.jsonl'), 'x');
    symlinkSync(join(root, 'elsewhere'), join(root, 'sessions', 'cd'));
    symlinkSync(join(root, 'elsewhere', 'deep', 'transcript.jsonl'), join(root, 'sessions', 'ab', 's', 'dumps'));
    const found = [...nativeFiles(nativeLayout(root))].filter(isFile);
    expect(found.map(({ path, kind }) => [path, kind])).toEqual([
      ['ab/s/dumps', 'unknown'],
      ['ab/s/transcript.jsonl', 'transcript'],
      ['cd', 'unknown'],
    ]);
  });
});
