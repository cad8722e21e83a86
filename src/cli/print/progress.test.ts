import { expect, it } from 'vitest';
import { captureIo } from '../../../test/capture-io.ts';
import { startProgress } from './progress.ts';

function watched(columns?: number) {
  let now = 0;
  const capture = captureIo({ now: () => now, ...(columns === undefined ? {} : { columns }) });
  return {
    ...capture,
    at: (time: number) => {
      now = time;
    },
  };
}

it('says nothing about work that takes less than a second', () => {
  const { io, err, at } = watched(80);
  const progress = startProgress(io, { label: 'Importing', total: 10 });
  at(999);
  progress.update({ done: 9 });
  progress.done();
  expect(err()).toBe('');
});

it('rewrites one line with counts, bytes, rate and time left, then takes it away', () => {
  const { io, err, at } = watched(80);
  const progress = startProgress(io, { label: 'Importing', total: 4000 });
  at(2000);
  progress.update({ done: 1000, bytes: 2048 });
  expect(err()).toBe('\r\x1b[2KImporting: 1,000 of 4,000, 2.0 KB, 1.0 KB/s, about 6 s left');
  progress.done();
  progress.done();
  expect(err().endsWith('left\r\x1b[2K')).toBe(true);
});

it('redraws at most ten times a second', () => {
  const { io, err, at } = watched(80);
  using progress = startProgress(io, { label: 'Reading' });
  for (let ms = 0; ms < 3000; ms += 1) {
    at(ms);
    progress.update({ done: ms });
  }
  expect(err().split('\r').length - 1).toBe(20);
});

it('never wraps, whatever the label', () => {
  const { io, err, at } = watched(20);
  using progress = startProgress(io, { label: 'A\nlabel that is far too long' });
  at(1500);
  progress.update({ done: 1 });
  expect(err()).toBe('\r\x1b[2KA⏎label that is fa…');
});

it('prints a plain line every 30 seconds where there is no terminal', () => {
  const { io, err, at } = watched();
  using progress = startProgress(io, { label: 'Reading' });
  for (let second = 0; second <= 70; second += 1) {
    at(second * 1000);
    progress.update({ done: second * 10, total: 1000 });
  }
  progress.done();
  expect(err()).toBe(
    'Reading: 300 of 1,000, 10/s, about 1 min 10 s left\nReading: 600 of 1,000, 10/s, about 40 s left\n',
  );
});
