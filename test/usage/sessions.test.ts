import { describe, expect, it } from 'vitest';
import type { ToldUsage } from '../../src/core/stores/usage-book.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { NOW } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';
import { bookLines, linesIn, openTestBook } from '../support/usage-desk.ts';

const NONE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

function told(id: string, inputTokens: number, more: Partial<ToldUsage> = {}): ToldUsage {
  return {
    ...NONE,
    inputTokens,
    nanoUsd: undefined,
    session: { agent: 'coppice', id, project: '/work/demo' },
    startedAt: NOW,
    lastActiveAt: NOW,
    model: 'm',
    supervised: false,
    ...more,
  };
}

const call = (name: string, inputTokens: number, at = NOW + HOUR_MS) => {
  return { ...NONE, call: name, model: 'm', at, inputTokens, nanoUsd: undefined };
};

describe('what homes say of sessions', () => {
  it('is booked once, and what is more later on the day of the later use', async () => {
    const folder = tempDir();
    using book = openTestBook(folder);
    await book.addTold('/home', [told('a', 100)]);
    await book.addTold('/home', [told('a', 100)]);
    await book.addTold('/home', [told('a', 130, { lastActiveAt: NOW + DAY_MS })]);
    expect(bookLines(folder)).toEqual(['2026-01-15 coppice a m 100 0 0 0', '2026-01-16 coppice a m 30 0 0 0']);
  });

  it('is taken back where a report was corrected', async () => {
    const folder = tempDir();
    using book = openTestBook(folder);
    await book.addTold('/home', [told('a', 100, { nanoUsd: 5 })]);
    await book.addTold('/home', [told('a', 60, { nanoUsd: 3 })]);
    expect(bookLines(folder)).toEqual(['2026-01-15 coppice a m 60 0 0 0']);
    expect(linesIn(folder)[0]?.costUsd).toBeCloseTo(3e-9, 12);
  });

  it('is one session where two homes tell of it, and two where an id was given twice', async () => {
    const folder = tempDir();
    using book = openTestBook(folder);
    await book.addTold('/home', [told('a', 100)]);
    await book.addTold('/copy', [told('a', 80)]);
    expect(bookLines(folder)).toEqual(['2026-01-15 coppice a m 100 0 0 0']);
    await book.addTold('/home', [told('a', 7, { startedAt: NOW + 1 })]);
    expect(bookLines(folder)).toEqual(['2026-01-15 coppice a m 107 0 0 0']);
  });

  it('gives way to its calls, whichever is read first', async () => {
    const session = { agent: 'codex', id: 'x', project: '/work/demo' };
    for (const order of ['told first', 'calls first']) {
      const folder = tempDir();
      using book = openTestBook(folder);
      const tell = () => book.addTold('/home', [told('x', 100, { session })]);
      if (order === 'told first') await tell();
      await book.add('/theirs', [{ kind: 'calls', session, calls: [call('c1', 60), call('c2', 45)] }]);
      await tell();
      expect(bookLines(folder)).toEqual(['2026-01-15 codex x m 105 0 0 0']);
    }
  });

  it('counts once where a supervised agent wrote the same calls down itself', async () => {
    const theirs = { agent: 'codex', id: 'x', project: '/work/demo' };
    const run = told('run', 100, { supervised: true, lastActiveAt: NOW + 2 * HOUR_MS });
    for (const order of ['told first', 'calls first']) {
      const folder = tempDir();
      using book = openTestBook(folder);
      const tell = async () => {
        await book.addTold('/home', [run]);
        await book.settle();
      };
      if (order === 'told first') await tell();
      const calls = [call('c1', 60), call('before', 9, NOW - DAY_MS)];
      await book.add('/theirs', [{ kind: 'calls', session: theirs, calls }]);
      await tell();
      await tell();
      const [before, own, found] = [
        '2026-01-14 codex x m 9 0 0 0',
        '2026-01-15 coppice run m 40 0 0 0',
        '2026-01-15 codex x m 60 0 0 0',
      ];
      expect(bookLines(folder)).toEqual([before, found, own]);
      // What another agent did meanwhile elsewhere is its own.
      const elsewhere = { agent: 'codex', id: 'y', project: '/work/other' };
      await book.add('/theirs', [{ kind: 'calls', session: elsewhere, calls: [call('c3', 30)] }]);
      await book.settle();
      expect(bookLines(folder)).toContain(own);
    }
  });

  it('still says what was used, and not where, once that is to be forgotten', async () => {
    const folder = tempDir();
    using book = openTestBook(folder);
    await book.addTold('/home', [told('a', 100), told('b', 5)]);
    await book.forgetProjects(['a']);
    expect(linesIn(folder).map(({ id, project }) => [id, project])).toEqual([
      ['a', null],
      ['b', '/work/demo'],
    ]);
  });
});
