import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import {
  checkNewMessage,
  checkNewSession,
  checkReason,
  checkSessionId,
  checkTags,
  checkTitle,
  checkUsage,
  noSuchSession,
} from './check-session.ts';
import type { NewMessage } from './message.ts';
import type { NewSession, UsageReport } from './session.ts';

const REFUSED = expect.objectContaining({ name: 'Failure', code: 'usage' }) as Error;
const session = (fields: object) => ({ source: 'cli', ...fields }) as NewSession;
const message = (fields: object) => ({ role: 'user', content: 'x', ...fields }) as NewMessage;
const report = (fields: object) => ({ model: 'm', ...fields }) as UsageReport;

describe('a new session', () => {
  it('may have every field, and needs only its source', () => {
    checkNewSession({ source: 'cli' });
    checkNewSession({
      id: '../*%',
      source: 'telegram',
      routeKey: 'telegram:42',
      parentId: 'p',
      childKind: 'reset',
      title: 't'.repeat(4096),
      model: 'm',
      workdir: '/srv',
      tags: ['a', 'ä'],
      startedAt: NOW,
    });
  });

  it.each<[string, object]>([
    ['no source', { source: undefined }],
    ['an empty source', { source: '' }],
    ['a source of 129 bytes', { source: 's'.repeat(129) }],
    ['a title that is not text', { title: 7 }],
    ['a title of 4097 bytes', { title: 't'.repeat(4097) }],
    ['a tag that is empty', { tags: ['fine', ''] }],
    ['a tag with a line break', { tags: ['a\nb'] }],
    ['a route key with half a character', { routeKey: '\udc00' }],
    ['an unknown kind of child', { parentId: 'p', childKind: 'twin' }],
    ['a parent without a kind', { parentId: 'p' }],
    ['a kind without a parent', { childKind: 'branch' }],
    ['a start that is not a number', { startedAt: Number.NaN }],
    ['a start between milliseconds', { startedAt: 1.5 }],
    ['a start before 1970', { startedAt: -1 }],
    ['a start that no calendar has', { startedAt: 8.65e15 }],
  ])('is refused with %s', (_what, fields) => {
    expect(() => checkNewSession(session(fields))).toThrow(REFUSED);
  });
});

describe('an id', () => {
  it('may be any well-formed text of 1 to 512 bytes without control characters', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 500, maxLength: 520 })), (id) => {
        const fine = id !== '' && id.isWellFormed() && !/\p{Cc}/u.test(id) && Buffer.byteLength(id) <= 512;
        if (fine) checkSessionId(id);
        else expect(() => checkSessionId(id)).toThrow(REFUSED);
      }),
    );
  });

  it('is counted in bytes', () => {
    checkSessionId('é'.repeat(256));
    expect(() => checkSessionId('é'.repeat(257))).toThrow(REFUSED);
  });
});

describe('a line of text', () => {
  it('is refused when it is empty or holds control characters', () => {
    for (const check of [checkTitle, checkReason, (text: string) => checkTags([text])]) {
      check('fine');
      for (const text of ['', 'a\nb', 'a\u0000', '\u001b[2J', '\ud800']) expect(() => check(text)).toThrow(REFUSED);
    }
  });
});

describe('a new message', () => {
  it('may hold any text or list of parts, at any time', () => {
    for (const content of ['', '\0\ud800', [], [{ type: 'text' }]]) checkNewMessage(message({ content }));
    for (const at of [0, NOW, 8.64e15]) checkNewMessage(message({ at }));
  });

  it.each<[string, object]>([
    ['an unknown role', { role: 'robot' }],
    ['no role', { role: undefined }],
    ['a number for content', { content: 1 }],
    ['an object for content', { content: {} }],
    ['null for content', { content: null }],
    ['a time in fractions', { at: 0.5 }],
    ['a time that is not a number', { at: Number.NaN }],
    ['a time as text', { at: '2026-01-15' }],
    ['a time that no calendar has', { at: 8.65e15 }],
  ])('is refused with %s', (_what, fields) => {
    expect(() => checkNewMessage(message(fields))).toThrow(REFUSED);
  });
});

describe('a report of usage', () => {
  it('may hold nothing, zero and large numbers', () => {
    for (const fields of [{}, { inputTokens: 0 }, { outputTokens: 1e12, costUsd: 1e-9 }, { costUsd: undefined }])
      checkUsage(report(fields));
  });

  it.each<[string, object]>([
    ['no model', { model: undefined }],
    ['a negative count', { inputTokens: -1 }],
    ['a fraction of a token', { reasoningTokens: 0.1 }],
    ['more than can be counted', { inputTokens: 2 ** 53 }],
    ['not a number', { costUsd: Number.NaN }],
    ['a text', { costUsd: '0.1' }],
    ['null', { cacheReadTokens: null }],
    ['more money than can be counted in billionths', { costUsd: 1e10 }],
  ])('is refused with %s', (_what, fields) => {
    expect(() => checkUsage(report(fields))).toThrow(REFUSED);
  });
});

describe('an id that names nothing', () => {
  it('is answered with the id and the next step', () => {
    expect(noSuchSession('abc')).toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('coppice sessions list') as string,
    });
    expect(noSuchSession('abc').message).toContain('abc');
  });
});
