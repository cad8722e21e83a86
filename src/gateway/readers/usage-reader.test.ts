import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { ReadRun } from './agent-reader.ts';
import type { FoundCall } from './told-line.ts';
import { readAfterCrash, startUsageReader } from './usage-reader.ts';

const SINCE = Date.now() - 5000;

interface LineOptions {
  readonly cwd?: string;
  readonly at?: number;
  readonly output?: number;
  readonly sessionId?: string;
}

function line(id: string, { cwd = '/work', at = SINCE + 10, output = 50, sessionId = 's' }: LineOptions = {}): string {
  const message = { id, model: 'm', usage: { input_tokens: 1000, output_tokens: output } };
  return `${JSON.stringify({ type: 'assistant', cwd, sessionId, timestamp: new Date(at).toISOString(), message })}\n`;
}

/** A home of Claude Code, and a run in `/work`. */
function scene(options: Partial<ReadRun> = {}) {
  const root = join(tempDir(), 'projects');
  mkdirSync(join(root, 'p'), { recursive: true });
  const run: ReadRun = { agent: 'claude', root, cwd: '/work', sessionIds: [], since: SINCE, ...options };
  const calls: FoundCall[] = [];
  const take = async (call: FoundCall): Promise<void> => void calls.push(call);
  const ids = () => [...new Set(calls.map(({ id }) => id.replace('claude:', '')))];
  return { root, file: join(root, 'p', 'a.jsonl'), run, take, calls, ids };
}

describe('reading what an agent writes', () => {
  it('reads a file as it grows, a line when it has ended, and at the end also one that has not', async () => {
    const { file, run, take, ids } = scene();
    const reader = await startUsageReader({ run, take });
    writeFileSync(file, line('a') + line('b').slice(0, 40));
    await reader.look();
    expect(ids()).toEqual(['a']);
    appendFileSync(file, line('b').slice(40) + line('c').trimEnd());
    await reader.look();
    expect(ids()).toEqual(['a', 'b']);
    await reader.finish();
    expect(ids()).toEqual(['a', 'b', 'c']);
  });

  it('passes over a torn line and whatever is no JSON', async () => {
    const { file, run, take, ids } = scene();
    const reader = await startUsageReader({ run, take });
    writeFileSync(file, `${line('torn').slice(0, 50)}\n"usage"\nnull\n[1]\n\n${line('b')}\0\xff\n`);
    await reader.finish();
    expect(ids()).toEqual(['b']);
  });

  it('reads only what was written since: not what was there, nor what a fork copied', async () => {
    const { root, file, run, take, ids } = scene();
    writeFileSync(file, line('long-before', { at: SINCE - 60_000 }) + line('before', { at: SINCE + 1 }));
    const reader = await startUsageReader({ run, take });
    appendFileSync(file, line('after'));
    writeFileSync(join(root, 'p', 'fork.jsonl'), line('copied', { at: SINCE - 60_000 }) + line('own'));
    await reader.finish();
    expect(ids().toSorted()).toEqual(['after', 'own']);
  });

  it('leaves files of other folders alone, unless their session is named on the command line', async () => {
    const sessionId = '11111111-1111-4111-8111-111111111111';
    const { root, run, take, ids } = scene({ sessionIds: [sessionId] });
    const reader = await startUsageReader({ run, take });
    writeFileSync(join(root, 'p', 'b.jsonl'), line('elsewhere', { cwd: '/other' }) + line('elsewhere-2'));
    writeFileSync(join(root, 'p', 'c.jsonl'), line('named', { cwd: '/other', sessionId }));
    await reader.finish();
    expect(ids()).toEqual(['named']);
  });

  it('takes lines that name no place from a new file, and not from one that was there before', async () => {
    const { root, file, run, take, ids } = scene();
    const nowhere = (id: string) => line(id).replace('"cwd":"/work","sessionId":"s",', '');
    writeFileSync(file, nowhere('before'));
    const reader = await startUsageReader({ run, take });
    appendFileSync(file, nowhere('after'));
    writeFileSync(join(root, 'p', 'new.jsonl'), nowhere('new'));
    await reader.finish();
    expect(ids()).toEqual(['new']);
  });

  it('only reads: what an agent wrote stays as it is', async () => {
    const { file, run, take, ids } = scene();
    const reader = await startUsageReader({ run, take });
    writeFileSync(file, line('a') + line('b').slice(0, 30));
    const { mtimeMs, ino, mode } = statSync(file);
    await reader.look();
    await reader.finish();
    expect(ids()).toEqual(['a']);
    expect(statSync(file)).toMatchObject({ mtimeMs, ino, mode });
    expect(readFileSync(file, 'utf8')).toBe(line('a') + line('b').slice(0, 30));
    expect(readdirSync(join(file, '..'))).toEqual(['a.jsonl']);
  });

  it('reads anew what was cut short or replaced, and goes on when a file is gone', async () => {
    const { root, file, run, take, ids } = scene();
    const reader = await startUsageReader({ run, take });
    writeFileSync(file, line('a') + line('b'));
    await reader.look();
    truncateSync(file, 0);
    appendFileSync(file, line('c'));
    await reader.look();
    writeFileSync(join(root, 'new'), line('d') + line('e') + line('f'));
    renameSync(join(root, 'new'), file);
    await reader.look();
    renameSync(file, `${file}.zst`);
    await reader.finish();
    expect(ids()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('follows no link out of the home, and opens nothing that is no file', async () => {
    const { root, run, take, ids } = scene();
    const outside = join(tempDir(), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'x.jsonl'), line('outside'));
    const reader = await startUsageReader({ run, take });
    symlinkSync(outside, join(root, 'linked'));
    symlinkSync(join(outside, 'x.jsonl'), join(root, 'p', 'x.jsonl'));
    mkdirSync(join(root, 'p', 'folder.jsonl'));
    await reader.finish();
    expect(ids()).toEqual([]);
  });

  it('after a crash, reads all that the run wrote and nothing older', async () => {
    const { root, file, run, take, ids } = scene();
    writeFileSync(file, line('old', { at: SINCE - 1000 }) + line('new'));
    writeFileSync(join(root, 'p', 'stale.jsonl'), line('stale'));
    utimesSync(join(root, 'p', 'stale.jsonl'), new Date(SINCE - 60_000), new Date(SINCE - 60_000));
    await readAfterCrash({ run, take });
    expect(ids()).toEqual(['new']);
  });

  it('a home that is not there yet is read when it appears, and one that never does is nothing', async () => {
    const { run, take, ids } = scene();
    const later = { ...run, root: join(run.root, 'later') };
    const reader = await startUsageReader({ run: later, take });
    await reader.look();
    mkdirSync(later.root);
    writeFileSync(join(later.root, 'a.jsonl'), line('a'));
    await reader.finish();
    expect(ids()).toEqual(['a']);
  });

  it('takes no more memory for a large file with long lines', async () => {
    const { file, run, take, ids } = scene();
    const reader = await startUsageReader({ run, take });
    const handle = openSync(file, 'w');
    const piece = Buffer.alloc(1024 * 1024, 'x');
    writeSync(handle, line('first'));
    for (let megabyte = 0; megabyte < 200; megabyte += 1) {
      writeSync(handle, piece);
      if (megabyte % 50 === 49) writeSync(handle, `\n${line(`after-${megabyte}`)}`);
    }
    closeSync(handle);
    const before = process.memoryUsage().rss;
    await reader.finish();
    expect(ids()).toEqual(['first', 'after-49', 'after-99', 'after-149', 'after-199']);
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * piece.length);
  });
});
