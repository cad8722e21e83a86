import { existsSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { claudeHome, claudeId } from '../support/claude-home.ts';
import { claudeLines } from '../support/claude-lines.ts';
import { writeLines } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';
import { bookLines } from '../support/usage-desk.ts';

const [ONE, TWO] = ['01a1de38-c740-760c-b14e-fc4b5744750b', '01a1de38-c6b7-760c-b14e-fc482427bb0b'];
const timestamp = '2026-11-15T07:44:00.000Z';
const NOW = Date.parse('2026-12-15T12:00:00Z');

function answer(id: string): JsonObject {
  const usage = { input: 10, output: 4, cacheRead: 2, cacheWrite: 1, cost: { total: 0.001 } };
  const message = { role: 'assistant', content: [{ type: 'text', text: 'x' }], model: 'm', usage };
  return { type: 'message', id, timestamp, message };
}

/** A person with a home of pi, in which a session and its fork are, and one of Coppice. */
function person() {
  const root = tempDir();
  const pi = join(root, '.pi', 'agent');
  const write = (id: string, answers: readonly string[]) => {
    const header = { type: 'session', version: 3, id, timestamp, cwd: '/work/secret' };
    const prompt = { type: 'message', id: 'p', timestamp, message: { role: 'user', content: 'hello' } };
    const path = writeLines(pi, `sessions/--work-secret--/${id}.jsonl`, [header, prompt, ...answers.map(answer)]);
    utimesSync(path, NOW / 1000 - 86_400 * (id === ONE ? 9 : 8), NOW / 1000 - 86_400 * (id === ONE ? 9 : 8));
    return path;
  };
  const paths = [write(ONE, ['1', '2']), write(TWO, ['1', '2', '3'])];
  const own = join(root, 'own');
  const env = { PI_CODING_AGENT_DIR: pi, COPPICE_HOME: own };
  let now = NOW;
  const clock = { now: () => (now += 1000) };
  const open = (path: string) => openHome({ path, env, clock });
  const total = async () => {
    await using home = await open(own);
    const { total: all, totals } = await home.usage.totals({ by: 'agent', everywhere: true });
    return [totals.map(({ key }) => key).join(), all.sessions, all.usage.inputTokens, all.usage.costUsd];
  };
  return { pi, own, paths, open, total };
}

const ALL = ['pi', 2, 30, 0.003];

describe('the bill of all homes', () => {
  it('is right when transcripts were removed by Coppice, given back, removed for good, or by their agent', async () => {
    const { pi, own, paths, open, total } = person();
    {
      await using home = await open(pi);
      // Nobody has asked for the bill yet.
      const { run, done } = await home.apply(await home.plan({ kind: 'delete', ids: [TWO] }));
      expect(done).toBe(1);
      expect(existsSync(paths[1] ?? '')).toBe(false);
      expect(bookLines(own)).toEqual([`2026-11-15 pi ${TWO} m 10 4 2 1`, `2026-11-15 pi ${ONE} m 20 8 4 2`]);
      expect(await total()).toEqual(ALL);
      await home.undo(run.id);
      expect(await total()).toEqual(ALL);
      const again = await home.apply(await home.plan({ kind: 'delete', ids: [TWO] }));
      await (await home.retention()).emptyTrash(again.run.id, { forget: true });
    }
    rmSync(paths[0] ?? '');
    expect(await total()).toEqual(ALL);
    rmSync(pi, { recursive: true });
    expect(await total()).toEqual(ALL);
  });

  it('counts nothing twice where a process died between booking and removing', async () => {
    const { pi, own, paths, open, total } = person();
    {
      await using home = await open(pi);
      await home.usage.keep();
    }
    expect(existsSync(join(own, 'usage.db'))).toBe(true);
    expect(await total()).toEqual(ALL);
    // It had moved the first file, and nobody wrote down that it did.
    renameSync(paths[0] ?? '', join(tempDir(), 'moved.jsonl'));
    expect(await total()).toEqual(ALL);
    await using home = await open(pi);
    await home.apply(await home.plan({ kind: 'delete', ids: [TWO] }));
    expect(await total()).toEqual(ALL);
  });

  it('counts a session once that was archived, or imported', async () => {
    const { pi, own, paths, open, total } = person();
    {
      await using home = await open(own);
      for await (const { status } of home.sessions.import({ paths })) expect(status).toBe('imported');
    }
    expect(await total()).toEqual(ALL);
    await using home = await open(pi);
    const { done } = await home.apply(await home.plan({ kind: 'archive', filter: {}, before: NOW }));
    expect(done).toBe(2);
    expect(await total()).toEqual(ALL);
  });

  it('has what the subagents of a session used, as the session itself has', async () => {
    const root = tempDir();
    const id = claudeId('4');
    const said = claudeLines(id);
    claudeHome(join(root, '.claude')).session(id, {
      lines: [said.user('Ask a helper'), said.text('main', 'Done.')],
      subagents: { 'agent-a1': [{ ...said.user('Help'), isSidechain: true }, said.text('aside', 'Helped.')] },
    });
    const env = { CLAUDE_CONFIG_DIR: join(root, '.claude'), COPPICE_HOME: join(root, 'own') };
    await using home = await openHome({ path: join(root, '.claude'), env, clock: { now: () => NOW } });
    const usage = (await home.sessions.get(id))?.usage;
    expect(usage?.inputTokens).toBe(200);
    const { totals } = await home.usage.totals({ by: 'session' });
    expect(totals.map((each) => [each.key, each.usage.inputTokens])).toEqual([[id, 200]]);
  });
});
