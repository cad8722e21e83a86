import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { messagesOf } from '../../../test/support/collect.ts';
import {
  IMPORTED_AT,
  importAll,
  importText,
  openImportStore,
  statuses,
  writeInput,
} from '../../../test/support/import-store.ts';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { JsonObject } from '../../core/json.ts';
import { type NewMessage, ROLES } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { exportSessions } from './export/export-sessions.ts';

let store: SessionStore;

beforeEach(async () => {
  store = await openImportStore();
});

describe('a lossless export', () => {
  it('comes back equal in another store', async () => {
    await makeSession(store, 'parent', [{ role: 'user', content: 'hi', at: IMPORTED_AT - 500 }]);
    await store.create({
      id: 'child',
      source: 'telegram',
      routeKey: 'telegram:42',
      parentId: 'parent',
      childKind: 'branch',
      title: 'Ünï 🌱',
      model: 'm-1',
      workdir: '/repo',
      tags: ['a', 'b'],
      startedAt: IMPORTED_AT - 10_000,
    });
    await store.recordUsage('child', { model: 'm-1', inputTokens: 5, outputTokens: 7, costUsd: 0.000000123 });
    await store.recordUsage('child', { model: 'm-2', cacheReadTokens: 9, reasoningTokens: 1 });
    await store.append('child', [
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'ls', arguments: { path: '/' } }], model: 'm-1' },
      { role: 'tool', content: 'no', toolCallId: '1', name: 'ls', failed: true, metadata: {} },
    ]);
    await store.change('child', { pinned: true });
    await store.end('child', 'done');

    const other = await openImportStore();
    const outcomes = await importText(other, await exportText(store, ['child', 'parent']));
    expect(outcomes.map(({ id, status, problemCount }) => [id, status, problemCount])).toEqual([
      ['child', 'imported', 0],
      ['parent', 'imported', 0],
    ]);
    await expectSame(other, store, 'child');
    await expectSame(other, store, 'parent');
  });

  it('keeps every character and every shape of content', async () => {
    const other = await openImportStore();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { maxLength: 8 }), async (messages) => {
        const id = `s${(count += 1)}`;
        await makeSession(store, id, messages);
        const [outcome] = await importText(other, await exportText(store, [id]));
        expect(outcome).toMatchObject({ id, status: 'imported', messages: messages.length, problems: [] });
        await expectSame(other, store, id);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a message of several megabytes, and more messages than one batch holds', async () => {
    const many = Array.from(
      { length: 1201 },
      (_, index): NewMessage => ({ role: 'user', content: `message ${index}` }),
    );
    await makeSession(store, 'big', [{ role: 'user', content: '\ud800"\n'.repeat(2_000_000) }, ...many]);
    const other = await openImportStore();
    const events = await importAll(other, writeInput(tempDir(), 'big.jsonl', await exportText(store, ['big'])));
    expect(events.filter(({ status }) => status === 'reading').length).toBeGreaterThan(0);
    await expectSame(other, store, 'big');
  });

  it('imports nothing twice', async () => {
    await makeSession(store, 'a', [{ role: 'user', content: 'hi', metadata: { b: 1, a: [-0] } }]);
    const text = await exportText(store, ['a']);
    const other = await openImportStore();
    expect(await statuses(other, text)).toEqual(['imported']);
    expect(await statuses(other, text)).toEqual(['already-there']);
    expect(await statuses(store, text)).toEqual(['already-there']);
  });

  it('never touches a session of the same name with other messages', async () => {
    await makeSession(store, 'a', [{ role: 'user', content: 'one' }]);
    const other = await openImportStore();
    for (const messages of [['two'], [], ['one', 'two']]) {
      await makeSession(
        other,
        'a',
        messages.map((content): NewMessage => ({ role: 'user', content })),
      );
      const before = await snapshot(other, 'a');
      const [outcome] = await importText(other, await exportText(store, ['a']));
      expect(outcome).toMatchObject({
        status: 'conflict',
        id: 'a',
        problems: [{ kind: expect.stringMatching(/^(?:conflict|grown)$/) as string }],
      });
      expect(await snapshot(other, 'a')).toEqual(before);
      await removeSessions(other, ['a']);
    }
  });

  it('shows nothing of a session whose lines were cut, dropped or changed', async () => {
    await makeSession(store, 'a', [
      { role: 'user', content: 'alpha' },
      { role: 'assistant', content: 'beta' },
    ]);
    await makeSession(store, 'b', [{ role: 'user', content: 'gamma' }]);
    const lines = (await exportText(store, ['a', 'b'])).trimEnd().split('\n');
    await fc.assert(
      fc.asyncProperty(damage(lines), async (text) => {
        const other = await openImportStore();
        const outcomes = await importText(other, text);
        expect(outcomes.some(({ status }) => status === 'failed')).toBe(true);
        for await (const { id } of other.list()) await expectSame(other, store, id);
      }),
      { numRuns: 80 },
    );
  });

  it('still imports the sessions of a file that are whole', async () => {
    for (const id of ['a', 'b', 'c']) await makeSession(store, id, [{ role: 'user', content: `in ${id}` }]);
    const text = (await exportText(store, ['a', 'b', 'c'])).replace('in b', 'in B');
    const other = await openImportStore();
    const outcomes = await importText(other, text);
    expect(outcomes.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'imported'],
      ['b', 'failed'],
      ['c', 'imported'],
    ]);
    expect(await other.get('b')).toBeUndefined();
  });

  it('reads the example in docs/formats/export.md', async () => {
    const page = readFileSync(new URL('../../../docs/formats/export.md', import.meta.url), 'utf8');
    const [, example = ''] = /```jsonl\n([^`]*)```/.exec(page) ?? [];
    expect(await statuses(store, example)).toEqual(['imported']);
    expect(withoutSizes(await exportText(store, ['demo']))).toBe(withoutSizes(example));
  });

  it('is refused when it is of a later version', async () => {
    const [outcome] = await importText(store, '{"kind":"coppice-export","version":2,"sessions":1}\n{"role":"user"}\n');
    expect(outcome).toMatchObject({ status: 'failed', problems: [{ kind: 'unknown-version' }] });
  });

  it('accepts line ends of other systems', async () => {
    await makeSession(store, 'a', [{ role: 'user', content: 'x\r\ny' }]);
    const other = await openImportStore();
    expect(await statuses(other, (await exportText(store, ['a'])).replaceAll('\n', '\r\n'))).toEqual(['imported']);
    await expectSame(other, store, 'a');
  });
});

/** Content that JSON can hold, however strange. */
const anyText = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `${text}\ud83c\0`.slice(0, 30));
const anyObject = fc.dictionary(anyText, fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }), {
  maxKeys: 4,
}) as fc.Arbitrary<JsonObject>;
const anyMessage: fc.Arbitrary<NewMessage> = fc.record(
  {
    role: fc.constantFrom(...ROLES),
    content: fc.oneof(anyText, fc.array(anyObject, { maxLength: 3 })),
    at: fc.integer({ min: 0, max: 8.64e15 }),
    toolCalls: fc.array(fc.record({ id: anyText, name: anyText, arguments: fc.jsonValue({ stringUnit: 'binary' }) }), {
      maxLength: 2,
    }),
    toolCallId: anyText,
    name: anyText,
    failed: fc.boolean(),
    model: anyText,
    metadata: anyObject,
  },
  { requiredKeys: ['role', 'content'] },
);

/** One thing wrong: a line gone, cut or changed in one place, or the end of the file missing. */
function damage(lines: readonly string[]): fc.Arbitrary<string> {
  const whole = `${lines.join('\n')}\n`;
  const place = fc.integer({ min: 0, max: lines.length - 1 });
  const dropped = place.map((index) => lines.toSpliced(index, 1));
  const cut = fc
    .tuple(place, fc.double({ min: 0, max: 0.99, noNaN: true }))
    .map(([index, part]) => lines.with(index, (lines[index] ?? '').slice(0, (lines[index] ?? '').length * part)));
  const changed = fc
    .tuple(fc.integer({ min: 1, max: lines.length - 1 }), fc.nat(), fc.constantFrom('~', '"', '}', '7', 'é'))
    .map(([index, position, character]) => lines.with(index, changeAt(lines[index] ?? '', position, character)));
  const truncated = fc.integer({ min: 0, max: whole.length - 3 }).map((length) => whole.slice(0, length).split('\n'));
  // Cutting everything leaves an empty file, which is skipped rather than damaged.
  return fc
    .oneof(dropped, cut, changed, truncated)
    .map((damaged) => damaged.join('\n'))
    .filter((text) => text.includes('"kind":"session') && text.trimEnd() !== whole.trimEnd());
}

function changeAt(line: string, position: number, character: string): string {
  const at = position % line.length;
  return line.slice(0, at) + character + line.slice(at + 1);
}

async function makeSession(target: SessionStore, id: string, messages: readonly NewMessage[]): Promise<void> {
  await target.create({ id, source: 'cli' });
  for (let start = 0; start < messages.length; start += 400)
    await target.append(id, messages.slice(start, start + 400));
}

async function exportText(from: SessionStore, ids: readonly string[]): Promise<string> {
  let text = '';
  for await (const chunk of exportSessions(from, { ids, format: 'jsonl', redact: false })) text += chunk;
  return text;
}

/** Sizes are the store's own business; everything else is pinned. */
function withoutSizes(text: string): string {
  return text.replace(/"(?:contentBytes|sha256)":(?:\d+|"\w+")/g, '');
}

async function snapshot(from: SessionStore, id: string) {
  const facts = (await from.get(id)) as SessionFacts;
  // Files stay where they are; only what the database holds travels.
  const { transcriptBytes: _, dumpBytes: __, ...travelling } = facts;
  return { facts: travelling, usage: await from.usageByModel(id), messages: await messagesOf(from, id) };
}

async function expectSame(imported: SessionStore, original: SessionStore, id: string): Promise<void> {
  expect(await snapshot(imported, id)).toEqual(await snapshot(original, id));
}
