import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { claudeLines } from '../support/claude-lines.ts';
import { writeLines } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';
import { bookLines, linesIn, openTestBook, readHome } from '../support/usage-desk.ts';

const ONE = '11111111-1111-4111-8111-111111111111';
const FORK = '22222222-2222-4222-8222-222222222222';
const CLAUDE = 'claude-code';
const project = 'projects/-work-demo';

function claudeHome() {
  const home = tempDir();
  const { user, text } = claudeLines(ONE);
  const lines = [user('Hello'), text('m1', 'Hi.'), user('And?'), text('m2', 'Done.')];
  writeLines(home, `${project}/${ONE}.jsonl`, lines);
  return { home, lines };
}

/** As the agent writes a fork: the lines of the other session come first, under a new id. */
function fork(home: string, lines: readonly JsonObject[]): void {
  const { text } = claudeLines(FORK);
  const copied = lines.map((line) => ({ ...line, sessionId: FORK, forkedFrom: { sessionId: ONE } }));
  writeLines(home, `${project}/${FORK}.jsonl`, [...copied, text('m3', 'Mine.')]);
}

const FIRST = `2026-11-15 ${CLAUDE} ${ONE} claude-sonnet-4-5 200 20 14 6`;

describe('calls in transcripts', () => {
  it('are booked once, however often they are read', async () => {
    const { home } = claudeHome();
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, CLAUDE);
    expect(bookLines(folder)).toEqual([FIRST]);
    expect(linesIn(folder)[0]).toMatchObject({ project: '/work/demo', unpriced: 0 });
    expect(linesIn(folder)[0]?.costUsd).toBeCloseTo((200 * 3 + 20 * 15 + 14 * 0.3 + 6 * 3.75) / 1e6, 9);
    await readHome(book, home, CLAUDE);
    expect(bookLines(folder)).toEqual([FIRST]);
  });

  it('count for the session that made them, not for its fork or a copy of the file', async () => {
    const { home, lines } = claudeHome();
    fork(home, lines);
    utimesSync(join(home, `${project}/${ONE}.jsonl`), 1000, 1000);
    mkdirSync(join(home, 'projects/copy'));
    cpSync(join(home, `${project}/${ONE}.jsonl`), join(home, `projects/copy/${ONE}.jsonl`));
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, CLAUDE);
    expect(bookLines(folder)).toEqual([FIRST, `2026-11-15 ${CLAUDE} ${FORK} claude-sonnet-4-5 100 10 7 3`]);
  });

  it('stay booked when their transcript is gone, and count once more nowhere when it is back', async () => {
    const { home } = claudeHome();
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, CLAUDE);
    const away = join(tempDir(), 'away');
    renameSync(join(home, 'projects'), away);
    await readHome(book, home, CLAUDE);
    expect(bookLines(folder)).toEqual([FIRST]);
    expect(book.files(home).size).toBe(0);
    renameSync(away, join(home, 'projects'));
    await readHome(book, home, CLAUDE);
    expect(bookLines(folder)).toEqual([FIRST]);
  });

  it('count for what is more in them where an answer was still being written', async () => {
    const home = tempDir();
    const { user, text } = claudeLines(ONE);
    const path = writeLines(home, `${project}/${ONE}.jsonl`, [user('Hello'), text('m1', 'H', { output_tokens: 1 })]);
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, CLAUDE);
    expect(bookLines(folder)).toEqual([`2026-11-15 ${CLAUDE} ${ONE} claude-sonnet-4-5 100 1 7 3`]);
    appendFileSync(path, `${JSON.stringify(text('m1', 'Hi.', { output_tokens: 30 }))}\n`);
    await readHome(book, home, CLAUDE);
    expect(bookLines(folder)).toEqual([`2026-11-15 ${CLAUDE} ${ONE} claude-sonnet-4-5 100 30 7 3`]);
    expect(linesIn(folder)[0]?.costUsd).toBeCloseTo((100 * 3 + 30 * 15 + 7 * 0.3 + 3 * 3.75) / 1e6, 9);
  });

  it('are not looked for in files that are as they were', async () => {
    const { home } = claudeHome();
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, CLAUDE);
    const path = join(home, `${project}/${ONE}.jsonl`);
    const { mtimeMs, size } = statSync(path);
    // The same size and time: nobody looks inside. In place, so that it is the same file.
    writeFileSync(path, ' '.repeat(size));
    utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
    expect(await readHome(book, home, CLAUDE)).toEqual([]);
    expect(book.files(home).size).toBe(1);
  });

  it('of one file that cannot be read keep nobody from the others', async () => {
    const { home } = claudeHome();
    const bad = writeLines(home, `${project}/${FORK}.jsonl`, [claudeLines(FORK).user('x')]);
    rmSync(bad);
    mkdirSync(dirname(bad), { recursive: true });
    writeFileSync(bad, '{"type":"user","sessionId":"x"\n');
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, CLAUDE);
    expect(bookLines(folder)).toEqual([FIRST]);
  });

  it('belong to the day on which they were made, where the person is', async () => {
    const { home } = claudeHome();
    const folder = tempDir();
    for (const [zone, day] of [
      ['UTC', '2026-11-15'],
      ['America/Los_Angeles', '2026-11-14'],
      ['UTC', '2026-11-15'],
    ] as const) {
      using book = openTestBook(folder, { zone });
      await readHome(book, home, CLAUDE);
      expect(bookLines(folder)).toEqual([FIRST.replace('2026-11-15', day)]);
    }
  });

  it('of a model without a price cost what it costs as soon as somebody says so', async () => {
    const home = tempDir();
    const { user, text } = claudeLines(ONE);
    const said = text('m1', 'Hi.');
    const answer = { ...said, message: { ...(said['message'] as JsonObject), model: 'home-made' } };
    writeLines(home, `${project}/${ONE}.jsonl`, [user('Hello'), answer]);
    const folder = tempDir();
    {
      using book = openTestBook(folder);
      await readHome(book, home, CLAUDE);
      expect(linesIn(folder)).toMatchObject([{ model: 'home-made', costUsd: 0, unpriced: 120 }]);
    }
    using book = openTestBook(folder, { prices: { 'home-made': { input: 1, output: 1 } } });
    await book.price();
    expect(linesIn(folder)).toMatchObject([{ costUsd: 0.00012, unpriced: 0 }]);
  });
});

describe('each agent tells of its calls in its own way, and once', () => {
  const usage = { input_tokens: 1200, cached_input_tokens: 200, output_tokens: 40, reasoning_output_tokens: 12 };
  const timestamp = '2026-11-15T07:44:00.000Z';
  const line = (type: string, payload: JsonObject): JsonObject => ({ timestamp, type, payload });
  const said = line('response_item', {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'x' }],
  });
  const rollout = (id: string, more: JsonObject[] = []) => [
    line('session_meta', { id, cwd: '/work/greeter' }),
    line('turn_context', { model: 'gpt-5.5' }),
    said,
    ...more,
  ];

  it('Codex, whose forks and resumed rollouts repeat records', async () => {
    const home = tempDir();
    const record = (thread: string, id: string) =>
      line('token_usage_record', { thread_id: thread, response_id: id, usage });
    const thread = '01a1de2a-1a43-7330-afe4-ae0b4fa84f23';
    const other = '01a1de2a-8ae6-7350-a655-f9b452d84bbc';
    const name = (id: string) => `sessions/2026/11/15/rollout-2026-11-15T07-44-23-${id}.jsonl`;
    writeLines(home, name(thread), rollout(thread, [record(thread, 'r1'), record(thread, 'r2')]));
    utimesSync(join(home, name(thread)), 1000, 1000);
    writeLines(home, name(other), rollout(other, [record(thread, 'r1'), record(other, 'r3')]));
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, 'codex');
    expect(bookLines(folder)).toEqual([
      `2026-11-15 codex ${thread} gpt-5.5 2000 80 400 0`,
      `2026-11-15 codex ${other} gpt-5.5 1000 40 200 0`,
    ]);
  });

  it('pi, whose forks copy lines with their ids', async () => {
    const home = tempDir();
    const [one, two] = ['01a1de38-c740-760c-b14e-fc4b5744750b', '01a1de38-c6b7-760c-b14e-fc482427bb0b'];
    const header = (id: string): JsonObject => ({ type: 'session', version: 3, id, timestamp, cwd: '/work' });
    const answer = (id: string): JsonObject => ({
      type: 'message',
      id,
      timestamp,
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'x' }],
        model: 'm',
        usage: { input: 10, output: 4, cacheRead: 2, cacheWrite: 1, cost: { total: 0.001 } },
      },
    });
    writeLines(home, `sessions/--work--/a_${one}.jsonl`, [header(one), answer('1'), answer('2')]);
    utimesSync(join(home, `sessions/--work--/a_${one}.jsonl`), 1000, 1000);
    writeLines(home, `sessions/--work--/b_${two}.jsonl`, [header(two), answer('1'), answer('2'), answer('3')]);
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, 'pi');
    expect(bookLines(folder)).toEqual([`2026-11-15 pi ${two} m 10 4 2 1`, `2026-11-15 pi ${one} m 20 8 4 2`]);
    // What the agent itself says it cost.
    expect(linesIn(folder).reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(0.003, 9);
  });

  it('Gemini CLI, which tells of an answer again when its tools have answered, and in a resumed chat', async () => {
    const home = tempDir();
    const id = '22222222-2222-4222-8222-222222222222';
    const header: JsonObject = { sessionId: id, projectHash: 'f8ca', startTime: timestamp, kind: 'main' };
    const tokens = { input: 500, output: 7, cached: 100, thoughts: 3, tool: 0, total: 510 };
    const answer = { id: 'g1', timestamp, type: 'gemini', content: 'Read.', tokens, model: 'gemini-2.5-flash' };
    const chat = (name: string) =>
      writeLines(home, `tmp/demo/chats/${name}.jsonl`, [header, answer, { ...answer, toolCalls: [] }]);
    chat('session-2026-11-15T07-51-22222222');
    chat('session-2026-11-15T09-00-22222222');
    const folder = tempDir();
    using book = openTestBook(folder);
    await readHome(book, home, 'gemini-cli');
    expect(bookLines(folder)).toEqual([`2026-11-15 gemini-cli ${id} gemini-2.5-flash 400 10 100 0`]);
  });
});
