import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/app/config/config-defaults.ts';
import type { Config } from '../../src/app/config/config-schema.ts';
import { Budgets } from '../../src/app/gateway/budgets.ts';
import { recordLateUsage } from '../../src/app/gateway/late-usage.ts';
import { LiveSessions } from '../../src/app/gateway/live-sessions.ts';
import type { SpendBook } from '../../src/core/gateway/spend-book.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import type { Clock } from '../../src/core/time.ts';
import { createHeldAhead, type OwnLimits } from '../../src/gateway/spend/held-ahead.ts';
import type { Turn } from '../../src/gateway/turn.ts';
import { findProcess } from '../../src/platform/machine/find-process.ts';
import { currentProcess } from '../../src/platform/machine/process-identity.ts';
import { openSpendBook } from '../../src/store/sqlite/gateway/spend-book.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

/** Between which two writes of one report its process dies. */
export const DEATHS = ['before it is counted', 'once counted', 'once recorded', 'once noted as recorded'] as const;
export type Death = (typeof DEATHS)[number];

/** Thrown where a process died: whatever it would have done next, it does not. */
export class Died extends Error {}

/** The books of one process: what it counts and records is in the same two files as that of all others. */
export interface BooksOfProcess {
  readonly book: SpendBook;
  readonly budgets: Budgets;
  turn(sessionId: string): Promise<Turn>;
  /** Begins a run that nobody asks before its calls, with limits of its own. Throws where the budget does not allow it. */
  startRun(own: OwnLimits): Promise<Turn>;
  /** From now on it dies there, in the midst of its next report. */
  dieAt(death: Death): void;
  /** Ends the process that what is set aside belongs to. Nothing more is written. */
  kill(): Promise<void>;
}

export interface BookParts {
  readonly directory: string;
  readonly clock: Clock;
  readonly budgets: Partial<Config['budgets']>;
}

/** Opens the books as a fresh process does, and ends what dead ones left. */
export async function openBooks({ directory, clock, budgets: given }: BookParts): Promise<BooksOfProcess> {
  const config = { ...DEFAULT_CONFIG, budgets: { ...DEFAULT_CONFIG.budgets, ...given } };
  const life = await startLife();
  const identity = () => ({ ...currentProcess(), pid: life.pid, startedAt: life.startedAt });
  const real = openSpendBook({ path: join(directory, 'live.db'), clock, identity });
  const transcripts = { write: ({ mark }: { mark: number }) => ({ mark, problems: [] }) };
  const stored = await openSqliteStore({
    path: join(directory, 'state.db'),
    scratchDir: directory,
    clock,
    transcripts: transcripts as never,
  });
  onTestFinished(async () => {
    real[Symbol.dispose]();
    await stored[Symbol.asyncDispose]();
  });
  const fate: { death?: Death | undefined } = {};
  const { book, store } = mortal(real, stored, fate);
  await recordLateUsage(real, stored);
  const live = new LiveSessions({ store, config, clock, book, onStop: () => {}, onShare: () => {} });
  const budgets = new Budgets({ config, store, clock, book, rulesFor: (source) => live.rulesFor(source) });
  const turns = new Map<string, Turn>();
  return {
    book: real,
    budgets,
    async turn(sessionId) {
      const facts = (await stored.get(sessionId)) ?? (await stored.create({ id: sessionId, source: 'walk' }));
      const turn = turns.get(sessionId) ?? (await live.follow(facts)).beginTurn();
      turns.set(sessionId, turn);
      return turn;
    },
    async startRun(own) {
      const facts = await stored.create({ source: 'walk' });
      const { id, source } = facts;
      const { live: rules } = live.rulesFor(source);
      const ahead = createHeldAhead(own);
      const reservation = await budgets.admit({ sessionId: id, source, rules: rules.spend, needs: ahead.now });
      return (await live.follow(facts)).beginTurn({ reservation, ahead });
    },
    dieAt: (death) => void (fate.death = death),
    kill: () => life.end(),
  };
}

/** A process of which nothing matters but that it lives: what is set aside goes by that. */
async function startLife() {
  const child: ChildProcess = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(end);
  return { pid, startedAt: findProcess(pid)?.startedAt ?? '', end };
}

/** The same book and store, for a process that may die between any two writes. */
function mortal(book: SpendBook, store: SessionStore, fate: { death?: Death | undefined }) {
  const dies = (here: Death): void => {
    if (fate.death === here) throw new Died(here);
  };
  const mortalBook: SpendBook = {
    ...book,
    add: async (...given) => {
      dies('before it is counted');
      const added = await book.add(...given);
      dies('once counted');
      return added;
    },
    recorded: async (note) => {
      dies('once recorded');
      await book.recorded(note);
      dies('once noted as recorded');
    },
  };
  return { book: mortalBook, store };
}
