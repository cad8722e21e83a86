import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  existsSync,
} from 'node:fs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { claudeHome, claudeId, LONG_AGO, promptLine } from '../../../test/support/claude-home.ts';
import { dieAtChange } from '../../../test/support/hermes-faults.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { promptHistory } from './prompt-history.ts';

const [ONE, TWO] = ['1', '2'].map(claudeId) as [string, string];

const NO_LINES = '{"version":1,"lines":[]}';

function withPrompts() {
  const at = claudeHome(tempDir());
  at.prompts([
    [ONE, 'first'],
    [TWO, 'second'],
    [ONE, 'third'],
  ]);
  const path = join(at.home, 'history.jsonl');
  const facts = () => {
    const { mode, mtimeMs } = statSync(path);
    return { text: readFileSync(path, 'utf8'), mode: mode & 0o777, mtimeMs };
  };
  return { ...at, path, facts };
}

describe('the prompt history of Claude Code', () => {
  it('lets lines go and gives them back with its mode and times', async () => {
    const { home, path, facts } = withPrompts();
    chmodSync(path, 0o640);
    const before = facts();
    const copy = await promptHistory.copy(home, ONE);
    await promptHistory.takeOut(home, ONE, copy ?? '');
    expect(facts()).toEqual({ ...before, text: promptLine(TWO, 'second', LONG_AGO + 1000) });
    await promptHistory.putBack(home, ONE, copy ?? '');
    expect(facts()).toEqual(before);
  });

  it('is left as it is where there is nothing of a session, and where there is no history', async () => {
    const { home, facts } = withPrompts();
    const before = facts();
    expect(await promptHistory.copy(home, claudeId('3'))).toBeUndefined();
    await promptHistory.takeOut(home, claudeId('3'), NO_LINES);
    expect(facts()).toEqual(before);
    const empty = claudeHome(tempDir()).home;
    expect(await promptHistory.copy(empty, ONE)).toBeUndefined();
    await promptHistory.takeOut(empty, ONE, NO_LINES);
    expect(existsSync(join(empty, 'history.jsonl'))).toBe(false);
  });

  it('is not touched where it is a link or has another name', () => {
    const one = withPrompts();
    expect(promptHistory.obstacle?.(one.home)).toBeUndefined();
    linkSync(one.path, `${one.path}.other`);
    expect(promptHistory.obstacle?.(one.home)).toMatch(/^history\.jsonl is a link or has other names/);
    const other = claudeHome(tempDir());
    symlinkSync(one.path, join(other.home, 'history.jsonl'));
    expect(promptHistory.obstacle?.(other.home)).toMatch(/^history\.jsonl is a link/);
  });

  it('waits for a program that is writing, and leaves its lock alone', async () => {
    const { home, facts } = withPrompts();
    const lock = join(home, 'history.jsonl.lock');
    const copy = (await promptHistory.copy(home, ONE)) ?? '';
    mkdirSync(lock, 0o755);
    const before = facts();
    const taking = promptHistory.takeOut(home, ONE, copy);
    await sleep(100);
    expect(facts()).toEqual(before);
    // What the program does when it is done.
    rmdirSync(lock);
    await taking;
    expect(facts().text).not.toContain(ONE);
    expect(existsSync(lock)).toBe(false);
  });

  it('takes over a lock that nobody has touched for long, as Claude Code does', async () => {
    const { home, facts } = withPrompts();
    const lock = join(home, 'history.jsonl.lock');
    const copy = (await promptHistory.copy(home, ONE)) ?? '';
    mkdirSync(lock, 0o755);
    utimesSync(lock, 1, 1);
    await promptHistory.takeOut(home, ONE, copy);
    expect(facts().text).not.toContain(ONE);
    expect(existsSync(lock)).toBe(false);
  });

  it('holds the old lines or the new ones wherever a process dies, and goes on from there', async () => {
    let change = 1;
    for (let died = true; died; change += 1) {
      const { home, facts } = withPrompts();
      const before = facts();
      const copy = (await promptHistory.copy(home, ONE)) ?? '';
      died = await dieAtChange(change, () => promptHistory.takeOut(home, ONE, copy));
      expect([before.text, promptLine(TWO, 'second', LONG_AGO + 1000)]).toContain(facts().text);
      await promptHistory.takeOut(home, ONE, copy);
      expect(facts().text).not.toContain(ONE);
      await dieAtChange(change, () => promptHistory.putBack(home, ONE, copy));
      await promptHistory.putBack(home, ONE, copy);
      expect(facts()).toEqual(before);
      expect(existsSync(join(home, 'history.jsonl.coppice-next'))).toBe(false);
      expect(existsSync(join(home, 'history.jsonl.lock'))).toBe(false);
    }
    expect(change).toBeGreaterThan(5);
  });

  it('loses no prompt that is typed meanwhile', async () => {
    const { home, path, facts } = withPrompts();
    const program = fork(join(import.meta.dirname, '../../../test/support/claude-prompter.js'), [path, '150']);
    const ended = once(program, 'exit');
    await once(program, 'message');
    const before = facts().text;
    while (program.exitCode === null) {
      const copy = (await promptHistory.copy(home, ONE)) ?? '';
      await promptHistory.takeOut(home, ONE, copy);
      await promptHistory.putBack(home, ONE, copy);
      // Otherwise nobody here would hear that it ended.
      await setImmediate();
    }
    expect(await ended).toEqual([0, null]);
    const lines = facts().text.split('\n').slice(0, -1);
    expect(lines).toHaveLength(150 + 3);
    expect(lines.slice(0, 3).join('\n')).toBe(before.split('\n').slice(0, 3).join('\n'));
    const typed = lines.slice(3).map((line) => (JSON.parse(line) as { display: string }).display);
    expect(typed).toEqual(Array.from({ length: 150 }, (_, n) => `prompt ${n}`));
  });
});
