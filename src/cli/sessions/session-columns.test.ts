import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../core/sessions/session.ts';
import type { SessionSort } from '../../core/stores/session-reader.ts';
import { createColour } from '../print/colour.ts';
import { renderTable } from '../print/table.ts';
import { type LabelledSession, sessionColumns } from './session-columns.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');

function session(changes: Partial<LabelledSession> = {}): LabelledSession {
  return {
    id: '01a1de72-7b08-759f-811a-24f8c5f74c1a',
    source: 'telegram',
    startedAt: NOW,
    lastActiveAt: NOW,
    endedAt: NOW,
    endReason: 'done',
    pinned: false,
    tags: [],
    messageCount: 1200,
    toolCallCount: 0,
    usage: { ...NO_USAGE, inputTokens: 50_000, costUsd: 1.25 },
    contentBytes: 400_000,
    transcriptBytes: 0,
    dumpBytes: 0,
    label: 'Moving the blog to another host',
    shortId: '01a1de72-7b08-759f-811a-24f8c5f74c1a',
    ...changes,
  };
}

const titles = (width: number, sort?: SessionSort, sessions = [session()]) =>
  sessionColumns(sessions, { width, now: NOW, sort }).columns.map(({ title }) => title);

describe('sessionColumns', () => {
  it('shows everything where there is room, in the usual order', () => {
    const all = ['ID', 'LAST ACTIVE', 'SOURCE', 'STATE', 'MESSAGES', 'SIZE', 'TOKENS', 'COST', 'TITLE'];
    expect(titles(Number.POSITIVE_INFINITY)).toEqual(all);
    expect(titles(160)).toEqual(all);
  });

  it('leaves out the least telling where there is not', () => {
    expect(titles(100)).toEqual(['ID', 'LAST ACTIVE', 'SOURCE', 'STATE', 'SIZE', 'TITLE']);
    expect(titles(80)).toEqual(['ID', 'LAST ACTIVE', 'SOURCE', 'STATE', 'TITLE']);
    expect(titles(20)).toEqual(['ID', 'LAST ACTIVE', 'TITLE']);
  });

  it.each([
    ['cost', 'COST'],
    ['tokens', 'TOKENS'],
    ['messages', 'MESSAGES'],
    ['size', 'SIZE'],
    ['bytes', 'SIZE'],
  ] as const)('always shows what the list is sorted by: %s', (sort, title) => {
    for (const width of [40, 80, 100]) expect(titles(width, sort)).toContain(title);
  });

  it.each([80, 100, 120, 160])('makes tables that fit %i columns, whatever the sessions are', (width) => {
    const sessions = [
      session(),
      session({ pinned: true, label: '磁盘已满的服务器'.repeat(9) }),
      session({ source: 's'.repeat(99) }),
    ];
    for (const sort of ['last', 'size', 'bytes', 'messages', 'tokens', 'cost'] as const) {
      const table = sessionColumns(sessions, { width, now: NOW, sort });
      const lines = renderTable({ ...table, width, colour: createColour(false) }).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    }
  });
});
