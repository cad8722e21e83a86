import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { claudeLines } from '../support/claude-lines.ts';
import { messagesOf } from '../support/collect.ts';
import { allIds, importAll, openImportStore, outcomesOf } from '../support/import-store.ts';
import { writeLines, writeText } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';

const ID = '22222222-2222-4222-8222-222222222222';
const FORK = '33333333-3333-4333-8333-333333333333';
const line = claudeLines(ID);

function claudeHome(dir: string): void {
  const said = [
    line.user('first'),
    line.text('m1', 'one'),
    line.call('m2', 'Read', { path: 'a' }),
    line.result('m2', 'def'),
  ];
  const copied = said.map((value) => ({ ...value, sessionId: FORK }));
  writeLines(dir, `projects/-work/${ID}.jsonl`, [...said, { type: 'quantum-state', sessionId: ID }]);
  writeLines(dir, `projects/-work/${FORK}.jsonl`, [...copied, { ...line.text('m3', 'own'), sessionId: FORK }]);
  writeLines(dir, 'history.jsonl', [{ display: 'first', project: '/work', sessionId: ID, timestamp: 1 }]);
  writeText(dir, '.claude.json', '{"projects":{}}');
}

describe('importing a whole home', () => {
  it('brings in every session with its facts, counts calls of forks once, and does nothing the second time', async () => {
    const [dir, store] = [tempDir(), await openImportStore()];
    claudeHome(dir);
    const events = await importAll(store, dir);
    expect(events.map(({ status }) => status).toSorted()).toEqual(['imported', 'imported', 'left-alone', 'left-alone']);
    expect(await store.get(ID)).toMatchObject({
      source: 'claude-code',
      title: 'first',
      workdir: '/work/demo',
      model: 'claude-sonnet-4-5',
      messageCount: 4,
      toolCallCount: 1,
      endReason: 'imported',
      usage: { inputTokens: 200, outputTokens: 20 },
    });
    expect(await store.get(FORK)).toMatchObject({ messageCount: 5, usage: { inputTokens: 100, outputTokens: 10 } });
    expect((await messagesOf(store, ID))[3]).toMatchObject({ role: 'tool', name: 'Read', content: 'def' });
    expect((await outcomesOf(store, dir)).map(({ status }) => status)).toEqual(['already-there', 'already-there']);
  });

  it('finds what tools were asked and what they gave back', async () => {
    const [dir, store] = [tempDir(), await openImportStore()];
    claudeHome(dir);
    await importAll(store, dir);
    expect((await store.search({ text: 'def' })).map(({ message }) => message?.role)).toEqual(['tool', 'tool']);
    expect(await store.search({ text: 'Read' })).toHaveLength(2);
  });

  it('counts lines of unknown kinds instead of complaining of each', async () => {
    const [dir, store] = [tempDir(), await openImportStore()];
    const unknown = Array.from(
      { length: 300 },
      (_, index): JsonObject => ({ type: `new-${index % 7}`, sessionId: ID }),
    );
    writeLines(dir, `${ID}.jsonl`, [line.user('hi'), ...unknown]);
    const [outcome] = await outcomesOf(store, dir);
    expect(outcome).toMatchObject({ status: 'imported', problemCount: 0 });
    expect(outcome?.unknown).toEqual({ lines: 300, kinds: ['new-0', 'new-1', 'new-2', 'new-3', 'new-4'] });
  });

  it('keeps apart what two agents gave the same id, also the next time', async () => {
    const [dir, store] = [tempDir(), await openImportStore()];
    writeLines(dir, `a/${ID}.jsonl`, [line.user('of one agent')]);
    writeLines(dir, 'b/pi.jsonl', [
      { type: 'session', version: 3, id: ID, cwd: '/work' },
      { type: 'message', id: 'u', message: { role: 'user', content: 'of another' } },
    ]);
    for (const status of ['imported', 'already-there'])
      expect((await outcomesOf(store, dir)).map((outcome) => outcome.status)).toEqual([status, status]);
    expect((await allIds(store)).toSorted()).toEqual([ID, `${ID}.pi`]);
  });

  it('says that a session has grown, and that a line is only half written', async () => {
    const [dir, store] = [tempDir(), await openImportStore()];
    const whole = `${JSON.stringify(line.user('hi'))}\n`;
    const path = writeText(dir, `${ID}.jsonl`, `${whole}{"type":"assist`);
    expect(await outcomesOf(store, path)).toMatchObject([{ status: 'imported', problems: [{ kind: 'torn-line' }] }]);
    writeText(dir, `${ID}.jsonl`, `${whole}${JSON.stringify(line.text('m1', 'done'))}\n`);
    expect(await outcomesOf(store, path)).toMatchObject([{ status: 'conflict', problems: [{ kind: 'grown' }] }]);
  });

  it('writes many small sessions and large ones beside each other, in the order of their files', async () => {
    const [dir, store] = [tempDir(), await openImportStore()];
    const names = Array.from({ length: 450 }, (_, index) => `s${String(index).padStart(3, '0')}`);
    for (const [index, name] of names.entries()) {
      const many = Array.from({ length: index === 200 ? 1200 : 2 }, () => ({
        role: 'user',
        content: `words of ${name}`,
      }));
      writeLines(dir, `${name}.jsonl`, many);
    }
    const outcomes = await outcomesOf(store, dir);
    expect(outcomes.map(({ path }) => path)).toEqual(names.map((name) => join(dir, `${name}.jsonl`)));
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['imported']));
    expect(outcomes[200]?.messages).toBe(1200);
    expect(await allIds(store)).toHaveLength(450);
  });

  it('changes no byte and no time of what it reads', async () => {
    const [dir, store] = [tempDir(), await openImportStore()];
    claudeHome(dir);
    const before = stamps(dir);
    await importAll(store, dir);
    expect(stamps(dir)).toEqual(before);
  });

  it.skipIf(!existsSync('/usr/bin/zstd'))(
    'says what to do about a compressed rollout that cannot be unpacked',
    async () => {
      const [dir, store] = [tempDir(), await openImportStore()];
      const name = 'rollout-2026-11-15T07-44-23-01a1de2a-1a43-7330-afe4-ae0b4fa84f23.jsonl';
      mkdirSync(join(dir, 'x'));
      const plain = writeText(dir, `x/${name}`, '{"type":"session_meta","payload":{"id":"01a1de2a"}}\n'.repeat(99));
      const packed = execFileSync('zstd', ['-c', plain]);
      const path = writeText(dir, `${name}.zst`, packed.subarray(0, packed.length - 10));
      expect(await outcomesOf(store, path)).toMatchObject([
        { status: 'failed', problems: [{ kind: 'unreadable-path' }] },
      ]);
    },
  );
});

function stamps(dir: string): readonly string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).toSorted();
  return names.map((name) => {
    const { size, mtimeNs, ino } = statSync(join(dir, name), { bigint: true });
    return `${name} ${size} ${mtimeNs} ${ino}`;
  });
}
