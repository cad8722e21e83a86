import { appendFileSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { messagesOf } from '../../../test/support/collect.ts';
import {
  allIds,
  importAll,
  importText,
  jsonLines,
  openImportStore,
  outcomesOf,
  statuses,
  writeInput,
} from '../../../test/support/import-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { importSessions } from './import-sessions.ts';
import { pathId } from './path-id.ts';

let dir: string;
let store: SessionStore;

beforeEach(async () => {
  dir = tempDir();
  store = await openImportStore();
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
    const path = writeInput(dir, 't.jsonl', `${whole}{"seq":2,"at":"2026-`);
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
    const named = writeInput(dir, 'my talk.jsonl', line);
    mkdirSync(join(dir, 'project-x'));
    const generic = writeInput(dir, 'project-x/transcript.jsonl', line);
    const outcomes = await outcomesOf(store, named, generic);
    const [talk = '', project = ''] = outcomes.map(({ id }) => id);
    expect(talk).toMatch(/^my talk-[0-9a-f]{8}$/);
    expect(project).toMatch(/^project-x-[0-9a-f]{8}$/);
    expect(await store.get(talk)).toMatchObject({ source: 'import', endReason: 'imported', pinned: false });
  });

  it('takes its times from the messages, and fills gaps from their neighbours', async () => {
    const path = writeInput(
      dir,
      'times.jsonl',
      jsonLines([
        { role: 'system', content: 'no time' },
        { role: 'user', content: 'a', timestamp: 1_700_000_010 },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c', timestamp: 1_700_000_000 },
      ]),
    );
    await outcomesOf(store, path);
    const id = pathId(path);
    expect((await messagesOf(store, id)).map(({ at }) => at - 1_700_000_000_000)).toEqual([10_000, 10_000, 10_000, 0]);
    expect(await store.get(id)).toMatchObject({ startedAt: 1_700_000_000_000, lastActiveAt: 1_700_000_010_000 });
  });

  it('falls back on the time of the file, and is still recognised after a copy', async () => {
    const path = writeInput(dir, 'untimed.jsonl', jsonLines([{ role: 'user', content: 'a' }]));
    utimesSync(path, 1_600_000_000, 1_600_000_000);
    await outcomesOf(store, path);
    expect(await store.get(pathId(path))).toMatchObject({ startedAt: 1_600_000_000_000, endedAt: 1_600_000_000_000 });
    utimesSync(path, 1_650_000_000, 1_650_000_000);
    expect((await outcomesOf(store, path)).map(({ status }) => status)).toEqual(['already-there']);
    appendFileSync(path, jsonLines([{ role: 'user', content: 'b' }]));
    expect((await outcomesOf(store, path))[0]).toMatchObject({
      status: 'conflict',
      problems: [{ kind: 'grown' }],
    });
    writeInput(dir, 'untimed.jsonl', jsonLines([{ role: 'user', content: 'other' }]));
    expect((await outcomesOf(store, path))[0]).toMatchObject({
      status: 'conflict',
      problems: [{ hint: 'To keep both, give the file another name and import it again.' }],
    });
  });

  it('reports each line it cannot understand by its place and imports the others', async () => {
    const path = writeInput(
      dir,
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
    expect((await messagesOf(store, pathId(path))).map(({ seq, content }) => [seq, content])).toEqual([
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

  it('is told apart from others of its name by where it lies', async () => {
    mkdirSync(join(dir, 'a'));
    mkdirSync(join(dir, 'b'));
    const names = ['chat', 'history', 'messages', 'session', 'transcript'].map((name) => `a/${name}.jsonl`);
    for (const [index, name] of [...names, 'b/chat.jsonl', 'b/line\nbreak.jsonl'].entries())
      writeInput(dir, name, jsonLines([{ role: 'user', content: `talk ${index}` }]));
    expect((await outcomesOf(store, dir)).map(({ status }) => status)).toEqual(Array(7).fill('imported'));
    expect(new Set(await allIds(store)).size).toBe(7);
    expect((await outcomesOf(store, dir)).map(({ status }) => status)).toEqual(Array(7).fill('already-there'));
  });
});

describe('paths', () => {
  it('searches a folder in order, follows no links and leaves other files alone', async () => {
    mkdirSync(join(dir, 'in/sub'), { recursive: true });
    const line = jsonLines([{ role: 'user', content: 'a' }]);
    for (const name of ['b.ndjson', 'a.jsonl', 'sub/c.JSONL', 'notes.txt', 'sub/x.json'])
      writeInput(dir, `in/${name}`, line);
    writeInput(dir, 'outside.jsonl', line);
    symlinkSync(join(dir, 'outside.jsonl'), join(dir, 'in/link.jsonl'));
    const events = await importAll(store, join(dir, 'in'));
    expect(events[0]).toEqual({ status: 'left-alone', path: join(dir, 'in'), files: 3 });
    expect(events.slice(1).map((event) => basename(event.path))).toEqual(['a.jsonl', 'b.ndjson', 'c.JSONL']);
    expect(readFileSync(join(dir, 'in/a.jsonl'), 'utf8')).toBe(line);
  });

  it('says which path cannot be read and goes on', async () => {
    const good = writeInput(dir, 'good.jsonl', jsonLines([{ role: 'user', content: 'a' }]));
    const outcomes = await outcomesOf(store, join(dir, 'missing.jsonl'), '/dev/null', good);
    expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'failed', 'imported']);
    expect(outcomes[0]?.problems[0]?.message).toContain('does not exist');
  });

  it('leaves nothing behind when it is cancelled or its reader walks away', async () => {
    const text = jsonLines(Array.from({ length: 3000 }, () => ({ role: 'user', content: 'x'.repeat(1000) })));
    const path = writeInput(dir, 'long.jsonl', text);
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
