import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { coppiceJson } from '../e2e/run-coppice.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { RealAgent } from './agents.ts';

/** A place of its own for one run of an agent: where it works, its home and that of Coppice, and nothing of the machine's own. */
export interface RunPlace {
  readonly base: string;
  readonly work: string;
  /** The home of Coppice. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

export function placeFor({ prepare }: RealAgent, modelUrl: string): RunPlace {
  const base = tempDir();
  const [userHome, work, home] = [join(base, 'user'), join(base, 'work'), join(base, 'coppice')];
  for (const folder of [userHome, work]) mkdirSync(folder);
  const { env } = prepare({ home: userHome, work, modelUrl });
  const agents = join(process.env['REAL_AGENTS_FOLDER'] ?? '', 'node_modules', '.bin');
  const path = [agents, process.env['PATH']].join(delimiter);
  return { base, work, home, env: { ...env, PATH: path, HOME: userHome } };
}

/** What is booked in this home. */
export async function bookedIn(home: string): Promise<{ readonly tokens: number; readonly costUsd: number }> {
  type Spending = readonly { readonly tokens: number; readonly costUsd: number }[];
  const { spending } = await coppiceJson<{ spending: Spending }>(home, ['budget']);
  const sum = (of: 'tokens' | 'costUsd') => spending.reduce((total, row) => total + row[of], 0);
  return { tokens: sum('tokens'), costUsd: sum('costUsd') };
}
