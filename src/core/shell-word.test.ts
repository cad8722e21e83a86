import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

describe('shellWord', () => {
  it('leaves plain words as they are', () => {
    expect(shellWord('0198c2')).toBe('0198c2');
    expect(shellWord('/home/me/.coppice')).toBe('/home/me/.coppice');
  });

  it.skipIf(process.platform === 'win32')('is read by a shell as the very same text', () => {
    const words = fc.sample(fc.string({ unit: 'grapheme', minLength: 1 }), { seed: 1, numRuns: 200 });
    const tricky = [...words.filter((word) => !word.includes('\0')), "it's", '$(id)', '*', 'a b', '', "''"];
    const script = `printf '%s\\0' ${tricky.map(shellWord).join(' ')}`;
    const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(printed.split('\0').slice(0, -1)).toEqual(tricky);
  });
});
