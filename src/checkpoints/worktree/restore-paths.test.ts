import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin, normalPath, pathFilter } from './restore-paths.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('normalPath', () => {
  it.each([
    ['src/app.ts', 'src/app.ts'],
    ['./src//deep/./', 'src/deep'],
    ['.', ''],
    ['-rf', '-rf'],
    ['..a/b..', '..a/b..'],
    ['*?[x]', '*?[x]'],
    ['\xff', '\xff'],
  ])('reads %j as %j', (given, expected) => {
    expect(normalPath(bytes(given))).toEqual(bytes(expected));
  });

  it.each(['', '/', '/etc/passwd', '..', '../x', 'a/../../x', 'a/..', 'a\0b'])('refuses %j', (given) => {
    expect(() => normalPath(bytes(given))).toThrow('not a path inside the working directory');
  });

  it('never gives a path that leads out', () => {
    const pieces = fc.array(fc.constantFrom('..', '.', '', 'a', '-', '...', '\0'), { maxLength: 6 });
    fc.assert(
      fc.property(pieces, (names) => {
        try {
          const path = normalPath(bytes(names.join('/'))).toString();
          expect(path.split('/')).not.toContain('..');
          expect(path).not.toMatch(/^\/|\/$|\0/);
        } catch (error) {
          expect(error).toMatchObject({ code: 'usage' });
        }
      }),
    );
  });
});

describe('pathFilter', () => {
  it('takes a folder for all that lies in it, and nothing beside it', () => {
    const isWanted = pathFilter([bytes('src/'), bytes('a*')]);
    expect(['src', 'src/a', 'src/b/c', 'a*'].map((path) => isWanted(bytes(path)))).toEqual([true, true, true, true]);
    expect(['srcs', 'sr', 'x/src', 'ab'].map((path) => isWanted(bytes(path)))).toEqual([false, false, false, false]);
  });

  it('wants everything when nothing is named, or the whole folder', () => {
    for (const paths of [undefined, [], [bytes('.')]]) expect(pathFilter(paths)(bytes('any/path'))).toBe(true);
    expect(isWithin(bytes('a'), bytes(''))).toBe(true);
  });
});
