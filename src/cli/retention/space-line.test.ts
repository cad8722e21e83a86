import { expect, it } from 'vitest';
import { spaceLine } from './space-line.ts';

it.each([
  [0, 0, []],
  [0, 2048, ['About 2.0 KB is freed when the trash is emptied.']],
  [1024, 0, ['The disk has 1.0 KB more.']],
  [1024, 2048, ['The disk has 1.0 KB more. About 2.0 KB is freed when the trash is emptied.']],
])('says what %d bytes freed and %d bytes in the trash mean for the disk', (freedBytes, waitingBytes, lines) => {
  expect(spaceLine(freedBytes, waitingBytes)).toEqual(lines);
});
