import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { manualClock } from '../../../test/support/clock.ts';
import { nameOfTheDead } from '../../../test/support/dead-process.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createAdviceFile, removeAdviceFile } from './advice-file.ts';

it('lies in a folder that bears its owner, after those that dead supervisors left', () => {
  const dead = join(tmpdir(), nameOfTheDead('coppice-advice'));
  mkdirSync(dead);
  writeFileSync(join(dead, 'advice.jsonl'), '{}');
  const [advice, another] = [createAdviceFile(manualClock()), createAdviceFile(manualClock())];
  expect([existsSync(dead), existsSync(advice.path)]).toEqual([false, true]);
  advice.remove();
  expect([existsSync(dirname(advice.path)), existsSync(another.path)]).toEqual([false, true]);
  another.remove();
});

it.each([
  [nameOfTheDead('coppice-advice'), 'advice.jsonl', false],
  ['coppice-advice-Ab3x9Z', 'advice.jsonl', false],
  ['coppice-advice-of-mine', 'advice.jsonl', true],
  [nameOfTheDead('coppice-advice'), 'other', true],
])('removes the folder %s with %s only if it made it', (folder, name, stays) => {
  const path = join(tempDir(), folder, name);
  mkdirSync(dirname(path));
  writeFileSync(path, '');
  removeAdviceFile(path);
  expect(existsSync(path)).toBe(stays);
});
