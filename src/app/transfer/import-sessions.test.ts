import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Message, type NewMessage, ROLES } from '../../core/message.ts';
import type { SessionFacts } from '../../core/session.ts';
import type { SessionStore } from '../../core/session-store.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { exportSessions } from './export-sessions.ts';
import type { ImportOutcome, SessionOutcome } from './import-outcome.ts';
import { importSessions } from './import-sessions.ts';

const NOW = Date.UTC(2026, 0, 15, 12);

let dir: string;
let store: SessionStore;
let stores: SessionStore[];

beforeEach(async () => {
  dir = tempDir();
  stores = [];
  store = await openStore();
});

afterEach(async () => {
  for (const each of stores) await each[Symbol.asyncDispose]();
});

describe('a lossless export', () => {
  it('comes back equal in another store', async () => {
    await makeSession(store, 'parent', [{ role: 'user', content: 'hi', at: NOW - 500 }]);
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
      startedAt: NOW - 10_000,
    });
    await store.recordUsage('child', { model: 'm-1', inputTokens: 5, outputTokens: 7, costUsd: 0.000000123 });
    await store.recordUsage('child', { model: 'm-2', cacheReadTokens: 9, reasoningTokens: 1 });
    await store.append('child', [
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'ls', arguments: { path: '/' } }], model: 'm-1' },
      { role: 'tool', content: 'no', toolCallId: '1', name: 'ls', failed: true, metadata: {} },
    ]);
    await store.change('child', { pinned: true });
    await store.end('child', 'done');

    const other = await openStore();
    const outcomes = await importText(other, await exportText(store, ['child', 'parent']));
    expect(outcomes.map(({ id, status, problemCount }) => [id, status, problemCount])).toEqual([
      ['child', 'imported', 0],
      ['parent', 'imported', 0],
    ]);
    await expectSame(other, store, 'child');
    await expectSame(other, store, 'parent');
  });

  it('keeps every character and every shape of content', async () => {
    const other = await openStore();
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
    const other = await openStore();
    const events = await importAll(other, writeInput('big.jsonl', await exportText(store, ['big'])));
    expect(events.filter(({ status }) => status === 'reading').length).toBeGreaterThan(0);
    await expectSame(other, store, 'big');
  });

  it('imports nothing twice', async () => {
    await makeSession(store, 'a', [{ role: 'user', content: 'hi', metadata: { b: 1, a: [-0] } }]);
    const text = await exportText(store, ['a']);
    const other = await openStore();
    expect(await statuses(other, text)).toEqual(['imported']);
    expect(await statuses(other, text)).toEqual(['already-there']);
    expect(await statuses(store, text)).toEqual(['already-there']);
  });

  it('never touches a session of the same name with other messages', async () => {
    await makeSession(store, 'a', [{ role: 'user', content: 'one' }]);
    const other = await openStore();
    for (const messages of [['two'], [], ['one', 'two']]) {
      await makeSession(
        other,
        'a',
        messages.map((content): NewMessage => ({ role: 'user', content })),
      );
      const before = await snapshot(other, 'a');
      const [outcome] = await importText(other, await exportText(store, ['a']));
      expect(outcome).toMatchObject({ status: 'conflict', id: 'a', problems: [{ kind: 'conflict' }] });
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
        const other = await openStore();
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
    const other = await openStore();
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
    const other = await openStore();
    expect(await statuses(other, (await exportText(store, ['a'])).replaceAll('\n', '\r\n'))).toEqual(['imported']);
    await expectSame(other, store, 'a');
  });
});

describe('a transcript of Coppice', () => {
  const HEADER = {
    coppice: 'transcript',
    version: 1,
    session: 'from-header',
    source: 'cron',
    startedAt: '2026-01-01T00:00:00.000Z',
    parentId: 'p',
    childKind: 'subagent',
    workdir: '/repo',
  };

  it('takes its facts from the header and counts as ended', async () => {
    const lines = [
      HEADER,
      { seq: 1, at: '2026-01-01T00:00:01.000Z', role: 'user', content: 'hi', metadata: { seq: 1 } },
      {
        seq: 2,
        at: '2026-01-01T00:00:02.000Z',
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'n', arguments: '{}' }],
      },
    ];
    const [outcome] = await importText(store, jsonLines(lines));
    expect(outcome).toMatchObject({ status: 'imported', id: 'from-header', messages: 2, problemCount: 0 });
    expect(await store.get('from-header')).toMatchObject({
      source: 'cron',
      parentId: 'p',
      childKind: 'subagent',
      workdir: '/repo',
      startedAt: Date.UTC(2026, 0, 1),
      lastActiveAt: Date.UTC(2026, 0, 1, 0, 0, 2),
      endedAt: Date.UTC(2026, 0, 1, 0, 0, 2),
      endReason: 'imported',
      toolCallCount: 1,
    });
    expect(await messagesOf(store, 'from-header')).toEqual([
      { seq: 1, at: Date.UTC(2026, 0, 1, 0, 0, 1), role: 'user', content: 'hi', metadata: { seq: 1 } },
      {
        seq: 2,
        at: Date.UTC(2026, 0, 1, 0, 0, 2),
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'n', arguments: '{}' }],
      },
    ]);
  });

  it('reports a torn last line and keeps the rest', async () => {
    const whole = jsonLines([HEADER, { seq: 1, at: '2026-01-01T00:00:01.000Z', role: 'user', content: 'hi' }]);
    const path = writeInput('t.jsonl', `${whole}{"seq":2,"at":"2026-`);
    const [outcome] = await outcomesOf(store, path);
    expect(outcome).toMatchObject({
      status: 'imported',
      messages: 1,
      problems: [{ kind: 'torn-line', subject: `${path}:3` }],
    });
  });

  it('is skipped when it has a header and nothing else', async () => {
    expect(await statuses(store, jsonLines([HEADER]))).toEqual(['skipped']);
  });
});

describe('a loose transcript', () => {
  it('is named after its file, or after its folder when the file name says nothing', async () => {
    const line = jsonLines([{ role: 'user', content: 'hi' }]);
    const named = writeInput('my talk.jsonl', line);
    mkdirSync(join(dir, 'project-x'));
    const generic = writeInput('project-x/transcript.jsonl', line);
    const outcomes = await outcomesOf(store, named, generic);
    expect(outcomes.map(({ id }) => id)).toEqual(['my talk', 'project-x']);
    expect(await store.get('my talk')).toMatchObject({ source: 'import', endReason: 'imported', pinned: false });
  });

  it('takes its times from the messages, and fills gaps from their neighbours', async () => {
    const path = writeInput(
      'times.jsonl',
      jsonLines([
        { role: 'system', content: 'no time' },
        { role: 'user', content: 'a', timestamp: 1_700_000_010 },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c', timestamp: 1_700_000_000 },
      ]),
    );
    await outcomesOf(store, path);
    expect((await messagesOf(store, 'times')).map(({ at }) => at - 1_700_000_000_000)).toEqual([
      10_000, 10_000, 10_000, 0,
    ]);
    expect(await store.get('times')).toMatchObject({ startedAt: 1_700_000_000_000, lastActiveAt: 1_700_000_010_000 });
  });

  it('falls back on the time of the file, and is still recognised after a copy', async () => {
    const path = writeInput('untimed.jsonl', jsonLines([{ role: 'user', content: 'a' }]));
    utimesSync(path, 1_600_000_000, 1_600_000_000);
    await outcomesOf(store, path);
    expect(await store.get('untimed')).toMatchObject({ startedAt: 1_600_000_000_000, endedAt: 1_600_000_000_000 });
    utimesSync(path, 1_650_000_000, 1_650_000_000);
    expect((await outcomesOf(store, path)).map(({ status }) => status)).toEqual(['already-there']);
    appendFileSync(path, jsonLines([{ role: 'user', content: 'b' }]));
    expect((await outcomesOf(store, path))[0]).toMatchObject({
      status: 'conflict',
      problems: [{ hint: 'To keep both, give the file another name and import it again.' }],
    });
  });

  it('reports each line it cannot understand by its place and imports the others', async () => {
    const path = writeInput(
      'mixed.jsonl',
      [
        '\uFEFF{"role":"user","content":"one"}',
        'not json',
        '',
        '[1]',
        '{"role":"robot","content":"x"}',
        '{"kind":"session","id":"of another tool"}',
        '{"role":"user","content":7}',
        `{"role":"user","content":"deep","x":${'['.repeat(5000)}${']'.repeat(5000)}}`,
        '{"role":"assistant","content":"two"}',
      ].join('\n'),
    );
    const [outcome] = await outcomesOf(store, path);
    expect(outcome).toMatchObject({ status: 'imported', messages: 2, problemCount: 6 });
    expect(outcome?.problems.map(({ subject }) => subject)).toEqual(
      [2, 4, 5, 6, 7, 8].map((line) => `${path}:${line}`),
    );
    expect((await messagesOf(store, 'mixed')).map(({ seq, content }) => [seq, content])).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
  });

  it('is skipped when nothing in it is a message, and its problems are counted but not all kept', async () => {
    const [outcome] = await importText(store, 'nothing\n'.repeat(5000));
    expect(outcome).toMatchObject({ status: 'skipped', messages: 0, problemCount: 5001 });
    expect(outcome?.problems.length).toBeLessThan(200);
    expect(await statuses(store, '')).toEqual(['skipped']);
  });

  it('fails without a trace when its name cannot be an id', async () => {
    const path = writeInput('line\nbreak.jsonl', jsonLines([{ role: 'user', content: 'a' }]));
    expect((await outcomesOf(store, path))[0]).toMatchObject({ status: 'failed', problems: [{ kind: 'refused' }] });
    expect(await allIds(store)).toEqual([]);
  });
});

describe('paths', () => {
  it('searches a folder in order, follows no links and leaves other files alone', async () => {
    mkdirSync(join(dir, 'in/sub'), { recursive: true });
    const line = jsonLines([{ role: 'user', content: 'a' }]);
    for (const name of ['b.ndjson', 'a.jsonl', 'sub/c.JSONL', 'notes.txt', 'sub/x.json'])
      writeInput(`in/${name}`, line);
    writeInput('outside.jsonl', line);
    symlinkSync(join(dir, 'outside.jsonl'), join(dir, 'in/link.jsonl'));
    const events = await importAll(store, join(dir, 'in'));
    expect(events[0]).toEqual({ status: 'left-alone', path: join(dir, 'in'), files: 3 });
    expect(events.slice(1).map((event) => basename(event.path))).toEqual(['a.jsonl', 'b.ndjson', 'c.JSONL']);
    expect(readFileSync(join(dir, 'in/a.jsonl'), 'utf8')).toBe(line);
  });

  it('says which path cannot be read and goes on', async () => {
    const good = writeInput('good.jsonl', jsonLines([{ role: 'user', content: 'a' }]));
    const outcomes = await outcomesOf(store, join(dir, 'missing.jsonl'), '/dev/null', good);
    expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'failed', 'imported']);
    expect(outcomes[0]?.problems[0]?.message).toContain('does not exist');
  });

  it('leaves nothing behind when it is cancelled or its reader walks away', async () => {
    const text = jsonLines(Array.from({ length: 3000 }, () => ({ role: 'user', content: 'x'.repeat(1000) })));
    const path = writeInput('long.jsonl', text);
    const controller = new AbortController();
    await expect(async () => {
      for await (const _ of importSessions(store, { paths: [path], signal: controller.signal })) controller.abort();
    }).rejects.toThrow('abort');
    for await (const { status } of importSessions(store, { paths: [path] })) {
      expect(status).toBe('reading');
      break;
    }
    expect(await allIds(store)).toEqual([]);
    expect((await outcomesOf(store, path))[0]).toMatchObject({ status: 'imported', messages: 3000 });
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

async function openStore(): Promise<SessionStore> {
  const folder = mkdtempSync(join(dir, 'store-'));
  const opened = await openSqliteStore({
    path: join(folder, 'state.db'),
    scratchDir: folder,
    clock: { now: () => NOW },
    transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
  });
  stores.push(opened);
  return opened;
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

async function importAll(into: SessionStore, ...paths: string[]): Promise<ImportOutcome[]> {
  const events: ImportOutcome[] = [];
  for await (const event of importSessions(into, { paths })) events.push(event);
  return events;
}

async function outcomesOf(into: SessionStore, ...paths: string[]): Promise<SessionOutcome[]> {
  return (await importAll(into, ...paths)).filter((event): event is SessionOutcome => 'problems' in event);
}

function importText(into: SessionStore, text: string): Promise<SessionOutcome[]> {
  return outcomesOf(into, writeInput('input.jsonl', text));
}

async function statuses(into: SessionStore, text: string): Promise<string[]> {
  return (await importText(into, text)).map(({ status }) => status);
}

function writeInput(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

function jsonLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

async function messagesOf(from: SessionStore, id: string): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const message of from.messages(id)) messages.push(message);
  return messages;
}

async function allIds(from: SessionStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of from.list()) ids.push(id);
  return ids;
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
