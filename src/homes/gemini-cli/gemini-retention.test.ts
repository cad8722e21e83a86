import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../test/support/claude-home.ts';
import { FILE_NOW, jsonLines, putFile } from '../../../test/support/file-home-scene.ts';
import {
  chatPath,
  geminiContext,
  geminiHeader,
  geminiId,
  type GeminiSpec,
  putGemini,
  usedAt,
} from '../../../test/support/gemini-home.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/time.ts';
import { geminiAgent } from './gemini-agent.ts';
import { geminiRetention } from './gemini-retention.ts';
import { type JudgedChat, judgeChats } from './judge-chats.ts';
import { rememberChats } from './remember-chats.ts';

const NOWHERE = '/nowhere/at/all';
/** Nothing in common with others, not even eight characters. */
const apart = (letter: string, daysAgo: number): GeminiSpec => ({
  id: `${letter.repeat(8)}-dca5-4193-9790-000000000001`,
  daysAgo,
});
const [A, B, C] = [apart('a', 3), apart('b', 2), apart('c', 1)] as const;

function homeWith(settings?: string, specs: readonly GeminiSpec[] = [A, B, C]) {
  const user = tempDir();
  const [home, project] = [join(user, '.gemini'), join(user, 'greeter')];
  mkdirSync(project);
  putFile(home, 'tmp/greeter/.project_root', project);
  if (settings !== undefined) putFile(home, 'settings.json', settings);
  for (const spec of specs) putGemini(home, spec);
  return { home, project };
}

/** By the ids of sessions, when they would be deleted. */
async function timesIn(home: string, system = NOWHERE): Promise<Record<string, EpochMs | undefined>> {
  const { sessions } = await geminiAgent().sort(treeOf(home), FILE_NOW);
  const own = geminiRetention(home, rememberChats(), system);
  return Object.fromEntries(sessions.map((session) => [session.id, own.deletesAt(session, sessions)]));
}

const after = (spec: GeminiSpec, days: number) => usedAt(spec) + days * DAY_MS;

describe('what Gemini CLI is set to delete', () => {
  it.each([
    [undefined, 'maxAge 30d', 30],
    ['{"general":{"sessionRetention":{"maxAge":"2w"}}}', 'maxAge 2w', 14],
    ['// mine\n{"general":{/* "x" */"sessionRetention":{"maxAge":"48h"}},"a":"http://x"}', 'maxAge 48h', 2],
    ['\uFEFF{"general":{"sessionRetention":{"maxAge":"1m","minRetention":"never"}}}', 'maxAge 1m', 30],
  ])('is known with its date where the settings are %j', async (settings, words, days) => {
    const { home } = homeWith(settings);
    expect(geminiRetention(home, rememberChats(), NOWHERE).setting).toBe(`general.sessionRetention ${words}`);
    expect(await timesIn(home)).toEqual({ [A.id]: after(A, days), [B.id]: after(B, days), [C.id]: after(C, days) });
  });

  it.each([
    '{"general":{"sessionRetention":{"enabled":false}}}',
    '{"general":{"sessionRetention":{"maxAge":"12h"}}}',
    '{"general":{"sessionRetention":{"maxAge":"soon"}}}',
    '{"general":{"sessionRetention":{"maxAge":"0d"}}}',
    '{"general":{"sessionRetention":{"maxCount":0}}}',
    '{"general":{"sessionRetention":{"maxAge":""}}}',
    '{"general":',
    '[]',
  ])('is nothing where the settings are %j', async (settings) => {
    const { home } = homeWith(settings);
    expect(geminiRetention(home, rememberChats(), NOWHERE).setting).toMatch(/so nothing is deleted$/);
    expect(Object.values(await timesIn(home))).toEqual([undefined, undefined, undefined]);
  });

  it('is the newest of a number, whatever minRetention promises', async () => {
    const settings = '{"general":{"sessionRetention":{"maxCount":2,"maxAge":"","minRetention":"7d"}}}';
    expect(await timesIn(homeWith(settings).home)).toEqual({ [A.id]: usedAt(A), [B.id]: undefined, [C.id]: undefined });
  });

  it('follows what a machine insists on before what its user sets, and that before its defaults', async () => {
    const system = tempDir();
    putFile(system, 'system-defaults.json', '{"general":{"sessionRetention":{"maxAge":"9d"}}}');
    expect(await timesIn(homeWith().home, system)).toMatchObject({ [A.id]: after(A, 9) });
    const { home } = homeWith('{"general":{"sessionRetention":{"maxAge":"8d"}}}');
    expect(await timesIn(home, system)).toMatchObject({ [A.id]: after(A, 8) });
    putFile(system, 'settings.json', '{"general":{"sessionRetention":{"maxAge":"7d"}}}');
    expect(await timesIn(home, system)).toMatchObject({ [A.id]: after(A, 7) });
    expect(geminiRetention(home, rememberChats(), system).from).toBe(join(system, 'settings.json'));
  });

  it('is the shorter of what a project and its user set: whether the project is trusted cannot be told', async () => {
    const { home, project } = homeWith();
    putFile(project, '.gemini/settings.json', '{"general":{"sessionRetention":{"maxAge":"5d"}}}');
    expect(await timesIn(home)).toMatchObject({ [A.id]: after(A, 5) });
    putFile(project, '.gemini/settings.json', '{"general":{"sessionRetention":{"enabled":false}}}');
    expect(await timesIn(home)).toMatchObject({ [A.id]: after(A, 30) });
  });
});

describe('what the next start of Gemini CLI deletes, however new it is', () => {
  it('is a session that was taken up again, together with every one that shares eight characters', async () => {
    const alike = [geminiId('1'), geminiId('2')].map((id, at): GeminiSpec => ({ id, daysAgo: 5 + at }));
    const { home } = homeWith(undefined, [...alike, C]);
    const [one = C, two = C] = alike;
    const again = usedAt(one) + HOUR_MS;
    expect(await timesIn(home)).toMatchObject({ [one.id]: after(two, 30), [two.id]: after(two, 30) });
    putFile(home, chatPath(one, again), jsonLines([geminiHeader(one, again), geminiContext(again)]), again);
    expect(await timesIn(home)).toEqual({ [one.id]: again, [two.id]: again, [C.id]: after(C, 30) });
  });

  it.each([
    ['nothing that it writes', 'PK\u0003\u0004'],
    ['nothing at all', ''],
    ['no header', jsonLines([{ id: 'x', type: 'gemini', content: 'Hello' }])],
    ['nobody saying anything', jsonLines([geminiHeader(A), geminiContext(usedAt(A))])],
    ['a subagent', jsonLines([geminiHeader({ ...A, kind: 'subagent' }), { id: 'x', type: 'user', content: 'Hi' }])],
    ['half an old document', '{\n  "sessionId": "x",\n  "messages": [{'],
  ])('is a chat with %s in it, and the one beside it', async (_, text) => {
    const { home } = homeWith();
    const broken = `session-2026-09-28T00-00-${A.id.slice(0, 8)}`;
    putFile(home, `tmp/greeter/chats/${broken}.jsonl`, text, FILE_NOW - 4 * DAY_MS);
    expect(await timesIn(home)).toMatchObject({ [A.id]: FILE_NOW - 4 * DAY_MS, [B.id]: after(B, 30) });
  });

  it.skipIf(process.getuid?.() === 0)('is a chat that cannot be read', async () => {
    const { home } = homeWith();
    chmodSync(join(home, chatPath(A)), 0);
    expect(Object.values(await timesIn(home))).toContain(usedAt(A));
  });

  it('is nothing in folders that it does not look into', async () => {
    const { home } = homeWith(undefined, []);
    const legacy = putGemini(home, { ...A, project: 'f'.repeat(64), daysAgo: 90 });
    putGemini(home, { ...B, project: 'gone', daysAgo: 90 });
    putFile(home, 'tmp/gone/.project_root', '/nowhere/at/all');
    expect(legacy).toContain('f'.repeat(64));
    expect(Object.values(await timesIn(home))).toEqual([undefined, undefined]);
  });
});

describe('the fates of the chats of a project', () => {
  const chat = fc.record({
    short: fc.constantFrom('aaaaaaaa', 'bbbbbbbb', 'cccccccc'),
    writtenAt: fc.integer({ min: 1, max: 100 }),
    usedAt: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
  });
  const chats = fc.array(chat, { maxLength: 8 }).map((all) =>
    all.map(({ short, writtenAt, usedAt: at }, n): JudgedChat => {
      return { name: `session-${n}-${short}.jsonl`, writtenAt, ...(at !== undefined && { usedAt: at }) };
    }),
  );
  const short = ({ name }: JudgedChat) => name.slice(-14);

  it('are one for all that end alike, and never later than the fate of any of them alone', () => {
    fc.assert(
      fc.property(chats, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 8 }), (all, maxAgeMs, maxCount) => {
        const fates = judgeChats(all, { maxAgeMs, maxCount });
        for (const one of all) {
          for (const other of all) if (short(one) === short(other)) expect(fates.get(one)).toBe(fates.get(other));
          if (one.usedAt === undefined) expect(fates.get(one)).toBeLessThanOrEqual(one.writtenAt);
          else expect(fates.get(one)).toBeLessThanOrEqual(one.usedAt + maxAgeMs);
        }
      }),
    );
  });

  it('do not depend on the order of the chats, and spare what no rule is about', () => {
    fc.assert(
      fc.property(chats, (all) => {
        const forwards = judgeChats(all, { maxAgeMs: 10 });
        const backwards = judgeChats(all.toReversed(), { maxAgeMs: 10 });
        for (const one of all) expect(backwards.get(one)).toBe(forwards.get(one));
        const listed = all.filter((one) => one.usedAt !== undefined);
        expect(judgeChats(listed, { maxCount: listed.length }).size).toBe(0);
      }),
    );
  });
});
