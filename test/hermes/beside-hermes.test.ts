import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createHermesDriver } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { toItem } from '../../src/homes/tested-home.conformance.ts';
import { hermesProblems } from '../support/hermes-dump.ts';
import { buildHermesHome, HERMES_DAY, type HermesSessionSpec, structured } from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const STAND_IN = resolve(import.meta.dirname, '../support/hermes-stand-in.js');

interface Report {
  readonly written: readonly { readonly id: number; readonly content: string }[];
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Old sessions of all sizes, one of them so long that it goes in many steps. */
function oldSessions(): (HermesSessionSpec & { readonly messages: readonly string[] })[] {
  const startedAt = Date.now() - 100 * HERMES_DAY;
  return Array.from({ length: 60 }, (_, at) => ({
    id: `old-${at}`,
    startedAt,
    messages: Array.from({ length: at === 7 ? 900 : (at % 12) * 3 }, (__, n) =>
      n % 10 === 9 ? structured({ text: `picture ${n}` }) : `message ${n} of session ${at}`,
    ),
    files: at % 3 === 0 ? (['snapshot', 'dump'] as const) : [],
  }));
}

async function startHermes(home: string, ids: readonly string[]) {
  const child = spawn(process.execPath, [STAND_IN, join(home, 'state.db'), ...ids], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  await once(child.stdout, 'data');
  return {
    async stop(): Promise<Report> {
      child.stdin.end();
      await once(child, 'close');
      return JSON.parse(lines.join('').split('\n')[1] ?? '') as Report;
    },
  };
}

describe('a Hermes that is at work', () => {
  for (const [schema, journal] of [
    [30, 'wal'],
    [25, 'delete'],
  ] as const) {
    it(`loses nothing while sessions are taken and brought back (schema ${schema}, ${journal} journal)`, async () => {
      const sessions = [...oldSessions(), { id: 'live', end: 'open', messages: ['hello'] }];
      const home = buildHermesHome(join(tempDir(), 'hermes'), { schema, journal, sessions });
      const held: number[] = [];
      const clock = { now: () => Date.now() };
      const companion = nativeLayout(join(home, '.coppice'));
      const driver = createHermesDriver({ home, clock, companion, onHeld: (ms) => held.push(ms) });
      const hermes = await startHermes(home, ['old-5', 'old-7', 'old-11']);
      const taken = new Map<string, number>();
      for (const run of ['one', 'two']) {
        const found = (await driver.scan()).sessions.filter(({ active }) => !active);
        const items = found.map((session, at) => toItem(session, at + 1, 'remove'));
        const outcomes = await driver.discard(run, items);
        const done = items.filter(({ number }) =>
          outcomes.some((one) => one.number === number && one.status === 'done'),
        );
        taken.set(run, done.length);
        const back = await driver.restore(run, done);
        expect(back.filter(({ status }) => status !== 'done')).toEqual([]);
      }
      const { written, p50, p99, max } = await hermes.stop();
      const waits = `Hermes waited ${p50.toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99), ${max.toFixed(1)} ms at most`;
      console.log(`${waits}; the lock was held ${Math.max(...held).toFixed(1)} ms at most, ${held.length} times`);
      expect(Math.min(...taken.values())).toBeGreaterThan(50);
      expect(written.length).toBeGreaterThan(50);
      expect(hermesProblems(home)).toEqual([]);
      const db = new BetterSqlite3(join(home, 'state.db'));
      const contentOf = db.prepare<[number], string>('SELECT content FROM messages WHERE id = ?').pluck();
      expect(written.filter(({ id, content }) => contentOf.get(id) !== content)).toEqual([]);
      const counted = db
        .prepare(`SELECT session_id, count(*) FROM messages WHERE content NOT LIKE 'turn %' GROUP BY 1`)
        .raw()
        .all();
      expect(Object.fromEntries(counted as [string, number][])).toEqual(
        Object.fromEntries(
          sessions.filter(({ messages }) => messages.length > 0).map(({ id, messages }) => [id, messages.length]),
        ),
      );
      db.close();
    });
  }
});
