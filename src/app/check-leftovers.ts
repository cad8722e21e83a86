import { existsSync } from 'node:fs';
import type { Problem } from '../core/problem.ts';
import { goneHolders } from '../homes/native/active-sessions.ts';
import { ballastIsWanted } from '../platform/ballast.ts';
import type { HomeParts } from './home-parts.ts';

/** What a crash or a full disk left: nothing is broken by it, and the next command that removes something settles most of it. */
export async function leftoverProblems(parts: HomeParts): Promise<Problem[]> {
  return [...(await unfinishedRuns(parts)), ...(await goneClaims(parts)), ...missingReserve(parts)];
}

async function unfinishedRuns({ store }: HomeParts): Promise<Problem[]> {
  return (await store.journal.unfinished()).map((id) => ({
    kind: 'unfinished-run',
    subject: id,
    message: `Run ${id} is at work, or was cut short.`,
    hint: 'If nothing is running, finish it with: coppice doctor --repair',
  }));
}

async function goneClaims({ store, clock }: HomeParts): Promise<Problem[]> {
  const gone = await goneHolders(store, clock.now());
  if (gone.length === 0) return [];
  const who = gone.length === 1 ? '1 process that is gone is' : `${gone.length} processes that are gone are`;
  return [
    {
      kind: 'claim-left',
      subject: 'state.db',
      message: `${who} still written down as users of sessions. It no longer counts.`,
      hint: 'Forget them with: coppice doctor --repair',
    },
  ];
}

/** The reserve is laid in with the first change of what a home keeps, and not before. */
function missingReserve({ layout, config }: HomeParts): Problem[] {
  const { ballast_mb: megabytes } = config.disk;
  if (megabytes === 'never' || !existsSync(layout.lock)) return [];
  if (!ballastIsWanted(layout.ballast, megabytes * 1024 * 1024)) return [];
  return [
    {
      kind: 'reserve-missing',
      subject: 'ballast',
      message: `The reserve of ${megabytes} MB, which makes removing possible on a full disk, is missing.`,
      hint: 'Lay it in with: coppice doctor --repair',
    },
  ];
}
