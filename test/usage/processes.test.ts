import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { claudeLines } from '../support/claude-lines.ts';
import { writeLines } from '../support/read-transcripts.ts';
import { tempDir } from '../support/temp-dir.ts';
import { linesIn, openTestBook, readHome } from '../support/usage-desk.ts';

const WORKER = fileURLToPath(new URL('../support/usage-worker.js', import.meta.url));
const SESSIONS = 60;
const CALLS = 50;

/** Many small transcripts: booking all of them takes several transactions. */
function manySessions(): string {
  const home = tempDir();
  for (let session = 0; session < SESSIONS; session += 1) {
    const id = `${String(session).padStart(8, '0')}-1111-4111-8111-111111111111`;
    const { user, text } = claudeLines(id);
    const lines = [user('Hello')];
    for (let call = 0; call < CALLS; call += 1) {
      // Each session repeats the second half of the one before, as forks do.
      const number = session * (CALLS / 2) + call;
      lines.push({ ...text(`m${number}`, 'x'), timestamp: '2026-11-15T07:00:00.000Z' });
    }
    writeLines(home, `projects/p/${id}.jsonl`, lines);
  }
  return home;
}

const CALLS_IN_ALL = (SESSIONS + 1) * (CALLS / 2);
const TOKENS_EACH = 100 + 10 + 7 + 3;

function tokensIn(folder: string): number {
  return linesIn(folder).reduce((sum, { tokens }) => sum + tokens.reduce((a, b) => a + b, 0), 0);
}

function work(home: string, folder: string): ChildProcess {
  return spawn(process.execPath, [WORKER, home, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));

describe('the book of what was used', () => {
  it('counts each call once where two processes book the same transcripts at once', async () => {
    const home = manySessions();
    const folder = tempDir();
    const codes = await Promise.all([work(home, folder), work(home, folder), work(home, folder)].map(ended));
    expect(codes).toEqual([0, 0, 0]);
    expect(tokensIn(folder)).toBe(CALLS_IN_ALL * TOKENS_EACH);
  });

  it('counts each call once, whenever the process that books them is killed', async () => {
    const home = manySessions();
    const folder = tempDir();
    for (const afterMs of [0, 2, 5, 10, 20, 40]) {
      const child = work(home, folder);
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      child.kill('SIGKILL');
      await ended(child);
      expect(tokensIn(folder) % TOKENS_EACH).toBe(0);
    }
    using book = openTestBook(folder);
    await readHome(book, home, 'claude-code');
    expect(tokensIn(folder)).toBe(CALLS_IN_ALL * TOKENS_EACH);
  });
});
