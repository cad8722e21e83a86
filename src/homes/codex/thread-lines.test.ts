import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codexId } from '../../../test/support/codex-home.ts';
import { jsonLines, putFile } from '../../../test/support/file-home-scene.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { promptLines } from './thread-lines.ts';

const [ONE, TWO] = [codexId('1'), codexId('2')] as const;
const line = (id: string, ts: number, text: string) => ({ session_id: id, ts, text });

/** Opens the prompts, and adds a line to what it opened a while after another file has its place: Codex asks for the lock ten times a second. */
const CODEX = `exec 9>>"$1/history.jsonl"; echo opened; while [ "$1/history.jsonl" -ef /proc/$$/fd/9 ]; do sleep 0.01; done; sleep 0.1; printf '%s\n' "$2" >&9`;

it('loses no prompt of a Codex that had the file open when another took its place', async () => {
  const home = tempDir();
  putFile(home, 'history.jsonl', jsonLines([line(ONE, 1_790_000_000, 'one'), line(TWO, 1_790_000_001, 'two')]));
  const copy = (await promptLines.copy(home, ONE)) ?? '';
  const program = join(tempDir(), 'codex');
  copyFileSync('/bin/sh', program);
  const late = JSON.stringify(line(TWO, 1_790_000_009, 'late'));
  const child = spawn(program, ['-c', CODEX, 'sh', home, late], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  await Promise.all([promptLines.takeOut(home, ONE, copy), closed]);
  const left = readFileSync(join(home, 'history.jsonl'), 'utf8');
  expect(left).toBe(jsonLines([line(TWO, 1_790_000_001, 'two'), line(TWO, 1_790_000_009, 'late')]));
});
