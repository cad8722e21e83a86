import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { campaignSize } from '../../../test/support/campaign.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { PostgresPlace, type Without } from '../../../test/support/postgres-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SearchHit } from '../../core/stores/session-reader.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { sessionFingerprint } from '../../core/stores/session-trash.ts';
import { kitClock, type KitClock } from '../../kit/kit-case.ts';
import { collect } from '../../kit/store/asking.ts';
import { NO_FILES } from '../../kit/store/removing.ts';

/** Each walk opens two homes and goes on for up to 40 steps. */
const RUNS = campaignSize({ usual: 6, torture: 200 });

/** The embedded store does not find what is no character of any script. */
const NO_CHARACTER = '\ufffe';

const WORDS = [
  'disk',
  'full',
  'spline',
  'splines',
  'Café',
  'cafe',
  '磁盘',
  '磁盘空间不足',
  'сообщение',
  'ファイル',
  'a_b%c\\d',
  '🌲',
  'read_file',
  'x',
  '\0',
  '\ud800',
  NO_CHARACTER,
];
const IDS = ['a', 'b', 'c', 'd é', '磁', 'e'.repeat(500)];
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
const longer = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));
const id = fc.constantFrom(...IDS);

/** One thing that is asked of both stores. What it gives, or how it fails, must be the same. */
type Act = (store: SessionStore, step: number) => Promise<unknown>;

const acts: fc.Arbitrary<{ readonly name: string; readonly act: Act }> = fc.oneof(
  fc
    .record({
      id,
      title: fc.option(fc.constantFrom('disk full', 'Splines', '磁盘', 'x'), { nil: undefined }),
      source: fc.constantFrom('cli', 'cron'),
    })
    .map((session) => ({
      name: `create ${JSON.stringify(session)}`,
      act: (store: SessionStore) =>
        store.create({
          id: session.id,
          source: session.source,
          ...(session.title !== undefined && { title: session.title }),
        }),
    })),
  fc.tuple(id, fc.array(text, { minLength: 1, maxLength: 4 })).map(([to, texts]) => ({
    name: `append ${to.slice(0, 5)} ${JSON.stringify(texts)}`,
    act: (store: SessionStore) =>
      store
        .append(
          to,
          texts.map((content, at) => ({ role: at % 2 === 0 ? ('user' as const) : ('assistant' as const), content })),
        )
        .then(({ firstSeq, lastSeq, size }) => ({ firstSeq, lastSeq, messages: size.messages })),
  })),
  fc.tuple(id, id, id).map((ids) => ({
    name: `append to three at once`,
    act: (store: SessionStore) =>
      Promise.all(
        ids.map((to) =>
          store
            .append(to, [
              { role: 'tool' as const, content: 'disk', toolCallId: 't', metadata: { '2': 1, '1': [1e300] } },
            ])
            .then(({ lastSeq }) => lastSeq, failureOf),
        ),
      ),
  })),
  id.map((of) => ({ name: `end ${of.slice(0, 5)}`, act: (store: SessionStore) => store.end(of, 'done') })),
  id.map((of) => ({ name: `abandon ${of.slice(0, 5)}`, act: (store: SessionStore) => store.end(of, 'abandoned') })),
  id.map((of) => ({ name: `resume ${of.slice(0, 5)}`, act: (store: SessionStore) => store.resume(of) })),
  fc.tuple(id, fc.constantFrom('disk full', '', 'new', 'Ünïcode 磁')).map(([of, title]) => ({
    name: `title ${of.slice(0, 5)} ${title}`,
    act: (store: SessionStore) => store.change(of, { title, addTags: ['t,"', 'u'], removeTags: ['u'] }),
  })),
  fc.tuple(id, fc.nat(1000)).map(([of, tokens]) => ({
    name: `usage ${of.slice(0, 5)}`,
    act: (store: SessionStore) =>
      store.recordUsage(of, { model: `m${tokens % 3}`, inputTokens: tokens, costUsd: tokens / 7 }),
  })),
  fc.tuple(fc.constantFrom('k1', 'k2'), fc.boolean()).map(([key, isNew]) => ({
    name: `settle ${key} ${isNew}`,
    act: (store: SessionStore, step: number) =>
      store.routes.settle(key, (current) =>
        current === undefined || isNew
          ? { kind: 'start' as const, session: { id: `r${step}`, source: 'telegram' }, endReason: 'reset' }
          : { kind: 'resume' as const },
      ),
  })),
  fc.tuple(id, fc.integer({ min: 0, max: 3 })).map(([of, afterSeq]) => ({
    name: `rewind ${of.slice(0, 5)} after ${afterSeq}`,
    act: (store: SessionStore, step: number) => store.rewind.takeBack(`w${step % 3}`, { number: 1, id: of, afterSeq }),
  })),
  fc.tuple(id, fc.nat(2)).map(([of, run]) => ({
    name: `bring back ${of.slice(0, 5)}`,
    act: (store: SessionStore) => store.rewind.bringBack(`w${run}`, { number: 1, id: of, afterSeq: 0 }),
  })),
  id.map((of) => ({
    name: `hide ${of.slice(0, 5)}`,
    act: (store: SessionStore, step: number) => hide(store, of, step),
  })),
  fc.nat(40).map((run) => ({
    name: `show ${run}`,
    act: (store: SessionStore) =>
      everyId((each, number) => store.trash.show(`run${run}`, [{ id: each, number, fingerprint: '' }], NO_FILES)),
  })),
  fc.nat(40).map((run) => ({
    name: `drop ${run}`,
    act: (store: SessionStore) =>
      everyId((each, number) => store.trash.drop(`run${run}`, [{ id: each, number, fingerprint: '' }])),
  })),
);

const queries = fc.record({
  words: fc.array(
    fc.constantFrom(
      ...WORDS.filter((word) => word !== NO_CHARACTER),
      '"disk full"',
      '-full',
      '-"spline disk"',
      'pline',
      '盘',
      '空间',
      'сообщ',
      'ulls',
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  limit: fc.constantFrom(undefined, 1, 3),
  source: fc.constantFrom(undefined, 'cli'),
});

describe('a home on a server and one in files', () => {
  for (const [how, without] of Object.entries<Without>({
    'with all that the server can': {},
    'without what not every server can': { oneStatement: true },
  })) {
    it(`give the same answers, search and its order with them: ${how}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(acts, { minLength: 5, maxLength: 40 }),
          fc.array(queries, { maxLength: 12 }),
          async (steps, asked) => {
            const clock = kitClock();
            await using both = await openBoth(clock, without);
            for (const [step, { name, act }] of steps.entries()) {
              clock.advance(1000);
              const [files, server] = await both.each((store) => act(store, step).catch(failureOf));
              expect({ name, gave: plain(server) }).toEqual({ name, gave: plain(files) });
            }
            for (const query of asked) {
              const [files, server] = await both.each((store) => store.search(queryOf(query)).then(hitsOf, failureOf));
              expect({ query, found: server }, JSON.stringify(query)).toEqual({ query, found: files });
            }
            const [files, server] = await both.each(everything);
            expect(server).toEqual(files);
          },
        ),
        { numRuns: RUNS, endOnFailure: true },
      );
    });
  }

  it('find the same in what was said at length, and rank it the same', async () => {
    const said = fc.array(fc.tuple(id, longer), { minLength: 30, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(said, fc.array(queries, { minLength: 20, maxLength: 20 }), async (messages, asked) => {
        await using both = await openBoth(kitClock(), {});
        await both.each(async (store) => {
          for (const each of IDS)
            await store.create({ id: each, source: each < 'c' ? 'cli' : 'cron', title: `about ${each}` });
          for (const [to, content] of messages) await store.append(to, [{ role: 'user', content }]);
        });
        for (const query of asked) {
          const [files, server] = await both.each((store) => store.search(queryOf(query)).then(hitsOf, failureOf));
          expect({ query, found: server }, JSON.stringify(query)).toEqual({ query, found: files });
        }
      }),
      { numRuns: campaignSize({ usual: 5, torture: 100 }), endOnFailure: true },
    );
  });
});

async function openBoth(clock: KitClock, without: Without) {
  const files = await openNativeStore(tempDir(), {
    clock,
    // A home on a server keeps no transcripts.
    transcripts: {
      write: ({ mark, fresh }) => ({ mark: { ...mark, seq: fresh.at(-1)?.seq ?? mark.seq }, problems: [] }),
    },
  });
  const server = await new PostgresPlace(without).store(clock);
  return {
    each: async <T>(ask: (store: SessionStore) => Promise<T>): Promise<readonly [T, T]> => [
      await ask(files),
      await ask(server),
    ],
    [Symbol.asyncDispose]: async () => {
      await files[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function hide(store: SessionStore, of: string, step: number) {
  const facts = await store.get(of);
  const deadHolders = (await store.holders()).map((holder) => holder.id);
  const fingerprint = facts === undefined ? '' : sessionFingerprint(facts);
  return store.trash.hide(`run${step}`, [{ number: IDS.indexOf(of) + 1, id: of, fingerprint }], {
    files: NO_FILES,
    deadHolders,
  });
}

async function everyId<T>(act: (id: string, number: number) => Promise<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for (const [at, each] of IDS.entries()) all.push(await act(each, at + 1));
  return all;
}

/** All that a store says of its sessions, in its own order. */
async function everything(store: SessionStore) {
  const sessions = await collect(store.list());
  const messages: (readonly Message[])[] = [];
  for (const session of sessions) messages.push(await collect(store.messages(session.id, { rewound: true })));
  const newest = await Promise.all(sessions.map((session) => collect(store.messages(session.id, { last: 2 }))));
  return {
    sessions,
    messages,
    newest,
    bySize: (await collect(store.list({ sort: 'size' }))).map((each) => each.id),
    titled: (await collect(store.list({ filter: { title: 'DISK' } }))).map((each) => each.id),
    tagged: (await collect(store.list({ filter: { tags: ['t,"'] } }))).map((each) => each.id),
    counted: await store.counts.sessions({ source: 'cli' }),
    ledger: (await collect(store.ledger())).map(({ number: _, ...entry }) => entry),
    routes: await collect(store.routes.list()),
    held: new Set((await store.holders()).flatMap(({ sessionIds }) => sessionIds)),
    wrong: (await collect(store.check())).flatMap(({ problems }) => problems),
  };
}

function queryOf({
  words,
  limit,
  source,
}: {
  words: readonly string[];
  limit: number | undefined;
  source: string | undefined;
}) {
  return { text: words.join(' '), ...(limit !== undefined && { limit }), ...(source !== undefined && { source }) };
}

function hitsOf(hits: readonly SearchHit[]) {
  return hits.map(({ session, message, match, excerpt }) => ({ id: session.id, message, match, excerpt }));
}

function failureOf(error: unknown): unknown {
  return error instanceof Error ? { failed: error.name, says: error.message } : error;
}

function plain(value: unknown): unknown {
  return value instanceof Set ? [...value].map(String).toSorted((a, b) => a.localeCompare(b)) : value;
}
