import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { manualClock, NOW } from '../../../test/support/clock.ts';
import { collect } from '../../../test/support/collect.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { uuidV7 } from '../../platform/machine/uuid-v7.ts';
import type { Home } from '../home.ts';
import { openHome } from '../open-home.ts';

/** Ids and titles that look like each other, like places in the list, like parts of others, and like options. */
const HEX = fc.constantFrom('abcdef', 'abcdefabcdef', '0abcdefabcdef', 'fabcdef', 'ABCDEFABCDEF');
const ODD = fc.constantFrom(
  '@last',
  '@1',
  '@2',
  '@02',
  '-x',
  ' a',
  'a ',
  'a',
  'ab',
  'ab%',
  '🌲🪵',
  '@123456abcdefabcdef',
);
const LONG = fc.constantFrom(
  'import of a project',
  'import of a project 2',
  'import of another',
  'import of a',
  '123-4567 89 1234',
);
const UUID = fc.nat(3).map((at) => uuidV7(NOW + at));
const LIKE = fc
  .tuple(fc.constantFrom('019bc186-de00-76fb-889c-', '2026-', '-'), HEX)
  .map(([start, end]) => start + end);
const ID = fc.oneof(HEX, ODD, LONG, UUID, LIKE);

const sessions = fc.uniqueArray(fc.record({ id: ID, title: fc.option(ID, { nil: undefined }) }), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 12,
});

async function homeWith(given: readonly { readonly id: string; readonly title?: string | undefined }[]): Promise<Home> {
  const clock = manualClock();
  const home = await openHome({ path: tempDir(), clock });
  for (const [at, { id, title }] of given.entries()) {
    clock.set(NOW + at);
    await home.sessions.create({ id, source: 'cli', ...(title !== undefined && { title }) });
  }
  return home;
}

describe('what a person types for a session', () => {
  it('means it by its whole id, whatever others are called, and by what lists show', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async (given) => {
        await using home = await homeWith(given);
        const short = await home.sessions.shortIds(given.map(({ id }) => id));
        for (const { id } of given) {
          expect((await home.sessions.find(id)).id).toBe(id);
          expect((await home.sessions.find(short.get(id) ?? '')).id).toBe(id);
          expect((short.get(id) ?? '').length).toBeLessThanOrEqual(id.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('means one session or none, and never one of several', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.oneof(ID, fc.string({ maxLength: 3 })), async (given, typed) => {
        await using home = await homeWith(given);
        const ids = given.map(({ id }) => id);
        const could = ids.filter(
          (id) => id.startsWith(typed) || (typed.length >= 6 && id.endsWith(typed)) || titleOf(given, id) === typed,
        );
        const found = await home.sessions.find(typed).then(
          ({ id }) => id,
          (error: { readonly code: string }) => error.code,
        );
        if (ids.includes(typed)) expect(found).toBe(typed);
        else if (/^@(last|[1-9]\d*)$/.test(typed)) expect([...ids.toReversed(), 'not-found']).toContain(found);
        else if (typed !== '' && could.length > 1) expect(found).toBe('usage');
        else if (typed !== '' && could.length === 1) expect(found).toBe(could[0]);
        else if (ids.includes(found))
          expect(titleOf(given, found)?.toLowerCase().startsWith(typed.toLowerCase())).toBe(true);
        else expect(['not-found', 'usage']).toContain(found);
      }),
      { numRuns: 150 },
    );
  });

  function titleOf(given: readonly { readonly id: string; readonly title?: string | undefined }[], id: string) {
    return given.find((one) => one.id === id)?.title;
  }
});

describe('a home', () => {
  let home: Home;
  const clock = manualClock();

  beforeEach(async () => {
    home = await openHome({ path: tempDir(), clock });
    return () => home.close();
  });

  async function add(id: string, title?: string): Promise<void> {
    clock.set(clock.now() + 60_000);
    await home.sessions.create({ id, source: 'cli', ...(title !== undefined && { title }) });
  }

  it('knows places in its list, in the order in which the list is shown', async () => {
    for (const id of ['one', 'two', 'three']) await add(id);
    const named = async (typed: string) => (await home.sessions.find(typed)).id;
    expect([await named('@last'), await named('@1'), await named('@2'), await named('@3')]).toEqual([
      'three',
      'three',
      'two',
      'one',
    ]);
    const listed = await collect(home.sessions.list());
    expect(listed[1]?.id).toBe(await named('@2'));
    await expect(named('@4')).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('sessions list'),
    });
    await add('@2');
    expect(await named('@2')).toBe('@2');
  });

  it('knows titles: the whole of one before the beginning of another', async () => {
    await add('a', 'Blog');
    await add('b', 'Blog posts');
    await add('c', 'Moving house');
    expect((await home.sessions.find('Blog')).id).toBe('a');
    expect((await home.sessions.find('moving')).id).toBe('c');
    await expect(home.sessions.find('blog')).rejects.toMatchObject({ code: 'usage' });
    await expect(home.sessions.find('house')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('lists who could be meant, the newest first, with what to type, when it was used and its title', async () => {
    const ids = [randomUUID(), randomUUID()] as const;
    await add(ids[0], 'Moving the blog');
    await add(ids[1], `Moving the blog${' again'.repeat(20)}`);
    const failure = await home.sessions.find('moving').catch((error: unknown) => error as Error & { hint: string });
    const [first, newest, older] = (failure as Error).message.split('\n');
    expect(first).toBe('Several sessions could be meant by moving:');
    expect(newest).toMatch(
      new RegExp(`^  ${ids[1].slice(-6)}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC  Moving the blog again.*…$`),
    );
    expect(older).toMatch(new RegExp(`^  ${ids[0].slice(-6)}  .*  Moving the blog$`));
    expect((failure as { hint: string }).hint).toMatch(/the id in front of the one.*coppice sessions list/);
  });

  it('shows six characters of ids of one time, and more of those that share them', async () => {
    const at = clock.now();
    const many = Array.from({ length: 200 }, () => uuidV7(at));
    for (const id of many) await home.sessions.create({ id, source: 'cli' });
    const short = [...(await home.sessions.shortIds(many)).values()];
    expect(new Set(short).size).toBe(many.length);
    expect(short.filter((shown) => shown.length > 6).length).toBeLessThan(5);
    await add(`x${many[0]?.slice(-7) ?? ''}`);
    expect((await home.sessions.shortIds([many[0] ?? ''])).get(many[0] ?? '')?.length).toBe(8);
  });
});
