import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createCrashChecker } from '../support/crash-checker.ts';
import { runWriter } from '../support/run-writer.ts';
import { tempDir } from '../support/temp-dir.ts';

/** What the checker says after a writer with a planted bug, or after something was done to its database. */
async function findings({ bug, damage }: { bug?: string; damage?: string }): Promise<string> {
  const root = tempDir();
  const { events, code, stderr } = await runWriter({ root, seed: 7, steps: 30, ...(bug !== undefined && { bug }) });
  expect(code, stderr).toBe(0);
  if (damage !== undefined) {
    const db = new BetterSqlite3(join(root, 'state.db'));
    db.exec(damage);
    db.close();
  }
  return (await createCrashChecker(root).check(events)).join('\n');
}

describe('the checker of the crash tests', () => {
  it('finds nothing wrong with a writer that ends in peace', async () => {
    expect(await findings({})).toBe('');
  });

  it('notices a message that is acknowledged before it is stored', async () => {
    expect(await findings({ bug: 'early-ack' })).toContain('was acknowledged and is not there');
  });

  it('notices a transcript line that is spoilt', async () => {
    expect(await findings({ bug: 'spoilt-line' })).toMatch(/line of seq 1: /);
  });

  it('notices a message that is lost, there twice, or damaged', async () => {
    const last = `(SELECT max(id) FROM messages WHERE session_key = 1)`;
    expect(await findings({ damage: `DELETE FROM messages WHERE id = ${last}` })).toMatch(
      /count-wrong[^]*is not there/,
    );
    const twice = `INSERT INTO messages (session_key, seq, role, at, text)
      SELECT session_key, seq + 1, role, at, text FROM messages WHERE id = ${last};
      UPDATE sessions SET message_count = message_count + 1, last_seq = last_seq + 1 WHERE key = 1`;
    expect(await findings({ damage: twice })).toContain('twice');
    expect(await findings({ damage: `UPDATE messages SET text = text || 'x' WHERE id = ${last}` })).toContain(
      'damaged',
    );
  });

  it('notices usage that was lost or counted twice', async () => {
    expect(await findings({ damage: 'UPDATE sessions SET input_tokens = input_tokens + 1' })).toContain('usage');
  });

  it('notices a session that is open again, or gone', async () => {
    expect(await findings({ damage: 'UPDATE sessions SET ended_at = last_active_at' })).toContain('ended is wrong');
    expect(await findings({ damage: `UPDATE sessions SET state = 'removing' WHERE key = 1` })).toContain('one is gone');
  });
});
