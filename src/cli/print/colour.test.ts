import { expect, it } from 'vitest';
import { createColour, wantsColour } from './colour.ts';

it.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('on a terminal: %j, with %j, colour is %j', (isTerminal, env, colour) => {
  expect(wantsColour(isTerminal, env)).toBe(colour);
});

it('leaves text unchanged when colour is off', () => {
  expect(createColour(true).red('x')).toBe('\x1b[31mx\x1b[39m');
  expect(createColour(false).red('x')).toBe('x');
});
