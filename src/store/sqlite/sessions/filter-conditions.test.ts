import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect, user } from '../../../../test/support/collect.ts';
import { openNativeStore } from '../../../../test/support/native-store.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { filterable, filterMatch } from '../../../core/sessions/filter-match.ts';
import type { NewSession } from '../../../core/sessions/session.ts';
import type { SessionFilter } from '../../../core/sessions/session-filters.ts';
import type { SessionStore } from '../../../core/stores/session-store.ts';

/** Names that differ only in ways which SQL and this language could see differently: case, accents, signs of patterns. */
const TITLE = fc.constantFrom(
  'Ärger',
  'ärger',
  'a%b',
  'A_B',
  'K elvin',
  'k elvin',
  'İstanbul',
  'straße',
  'STRASSE',
  'a',
);
const FOLDER = fc.constantFrom('/', '/a', '/a/b', '/ab', '/a0', '/a/ü', '/A', '/a/b/c', 'C:/a');
const MODEL = fc.constantFrom('m', 'M', 'm ', 'm1');
const TAG = fc.constantFrom('work', 'Work', '"', 'ä', '1', 'wor');
const TAGS = fc.uniqueArray(TAG, { maxLength: 3 });
const COUNT = fc.constantFrom(0, 1, 2, 0.5, Number.NaN, Number.POSITIVE_INFINITY);
const COST = fc.constantFrom(0, 0.1, 0.3, 0.2, Number.NaN);

const session = fc.record(
  {
    source: fc.constantFrom('cli', 'cron'),
    title: TITLE,
    workdir: FOLDER,
    model: MODEL,
    tags: TAGS,
    pinned: fc.boolean(),
    ended: fc.constantFrom('done', 'Done'),
    messages: fc.nat(3),
    costs: fc.array(fc.constantFrom(0.1, 0.2), { maxLength: 2 }),
  },
  { requiredKeys: ['source', 'messages', 'costs'] },
);

const filters: fc.Arbitrary<SessionFilter> = fc.record(
  {
    source: fc.constantFrom('cli', 'cro%'),
    title: fc.oneof(TITLE, fc.constantFrom('', '%', 'R', 'ß', 'i̇', 'K')),
    workdir: FOLDER,
    project: fc.oneof(FOLDER, fc.constantFrom('/a/', '')),
    model: MODEL,
    tags: TAGS,
    pinned: fc.boolean(),
    endedBy: fc.constantFrom('done', 'Done', 'don'),
    minMessages: COUNT,
    maxMessages: COUNT,
    minTokens: COUNT,
    maxTokens: COUNT,
    minCostUsd: COST,
    maxCostUsd: COST,
    provider: fc.constantFrom('', 'x'),
    branch: fc.constant('main'),
  },
  { requiredKeys: [] },
);

type Given = typeof session extends fc.Arbitrary<infer T> ? T : never;

async function add(store: SessionStore, id: string, given: Given): Promise<void> {
  const { pinned, ended, messages, costs, ...fields } = given;
  await store.create({ id, ...(fields as Omit<NewSession, 'id'>) });
  for (let at = 0; at < messages; at += 1) await store.append(id, [user('x')]);
  for (const costUsd of costs) await store.recordUsage(id, { model: 'm', inputTokens: 1, costUsd });
  if (pinned === true) await store.change(id, { pinned });
  if (ended !== undefined) await store.end(id, ended);
}

describe('a filter in SQL', () => {
  it('lets the same sessions through as the test that plans go by, and counts them', async () => {
    await using store = await openNativeStore(tempDir());
    let count = 0;
    for (const given of fc.sample(session, 60)) await add(store, `s${(count += 1)}`, given);
    const all = await collect(store.list());
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const wanted = all.filter((facts) => filterMatch(filter)(filterable(facts))).map(({ id }) => id);
        expect((await collect(store.list({ filter }))).map(({ id }) => id)).toEqual(wanted);
        expect(await store.counts.sessions({ filter })).toBe(wanted.length);
      }),
      { numRuns: 400 },
    );
  });

  it('takes names as they are: nothing in them is a pattern or a piece of SQL', async () => {
    await using store = await openNativeStore(tempDir());
    await store.create({ id: 's', source: 'cli', title: "it's 100%", tags: ["o'clock"] });
    const found = async (filter: SessionFilter) => (await collect(store.list({ filter }))).length;
    expect(await found({ title: "'s 100%" })).toBe(1);
    expect(await found({ title: '_' })).toBe(0);
    expect(await found({ tags: ["o'clock"] })).toBe(1);
    expect(await found({ tags: ["o'clock') OR 1 --"] })).toBe(0);
  });
});
