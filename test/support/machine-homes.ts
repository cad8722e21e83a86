import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openHome } from '../../src/index.ts';
import { buildHermesHome, HERMES_DAY, type HermesHomeSpec } from './hermes-home.ts';

/** The directory of somebody who has a home of Coppice and one of Hermes. One id is in both. */
export async function machineHomes(root: string, hermes: Omit<HermesHomeSpec, 'sessions'> = {}) {
  const now = Date.now();
  const own = join(root, '.coppice');
  const theirs = join(root, '.hermes');
  mkdirSync(root, { recursive: true });
  let ageDays = 0;
  await using home = await openHome({ path: own, env: {}, clock: { now: () => now - ageDays * HERMES_DAY } });
  for (const [id, days, text] of [
    ['native-old', 120, 'a needle of long ago'],
    ['both', 100, 'the same id here'],
    ['native-new', 2, 'a needle of this week'],
  ] as const) {
    ageDays = days;
    const session = await home.sessions.create({ id, source: 'cli', title: `Talk ${id}`, workdir: '/repo' });
    await session.appendAll(
      Array.from({ length: 8 }, (_, at) => ({ role: 'user' as const, content: `${text} ${at}` })),
    );
    await session.recordUsage({ model: 'some-model', inputTokens: 1000, costUsd: 0.5 });
    await session.end('done');
  }
  ageDays = 0;
  const many = Array.from({ length: 8 }, (_, at) => `a needle in hermes ${at}`);
  buildHermesHome(theirs, {
    ...hermes,
    sessions: [
      { id: 'hermes-old', title: 'Long ago', startedAt: now - 130 * HERMES_DAY, messages: many },
      { id: 'hermes-new', title: 'This week', startedAt: now - HERMES_DAY, messages: many },
      { id: 'both', title: 'Also here', startedAt: now - 3 * HERMES_DAY, messages: many },
    ],
  });
  return { root, own, theirs };
}
