import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { readableStore } from '../../checkpoints/store/readable-store.ts';
import { notesLeft } from '../../checkpoints/store/store-work.ts';
import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import { goneHolders } from '../../keeping/liveness/active-sessions.ts';
import { ballastBytes } from '../../platform/files/ballast.ts';
import { refuseIrregular } from '../../platform/files/open-regular.ts';
import { checkpointStoreOptions } from '../checkpoints/checkpoint-store.ts';
import type { HomeParts } from '../home-parts.ts';
import { missingReserveBytes } from '../reserve.ts';
import { cutShortRuns } from '../retention/cut-short-runs.ts';
import { findStrayTrash, strayProblem } from '../retention/stray-trash.ts';
import { homeLeftovers } from './remove-leftovers.ts';

/** What a crash or a full disk left: nothing is broken by it, and the next command that removes something settles most of it. */
export async function leftoverProblems(parts: HomeParts): Promise<Problem[]> {
  return [
    ...(await unfinishedRuns(parts)),
    ...(await goneClaims(parts)),
    ...leftFiles(parts),
    ...(await strayTrash(parts)),
    ...(await missingReserve(parts)),
  ];
}

async function unfinishedRuns(parts: HomeParts): Promise<Problem[]> {
  return (await cutShortRuns(parts)).map((id) => ({
    kind: 'unfinished-run',
    subject: id,
    message: `Run ${id} was cut short, and what it had begun is not finished.`,
    hint: 'Finish it with: coppice doctor --repair',
  }));
}

/** Files under temporary names, locks of git, and what a restore left in a folder: whoever changes the home next removes them. */
function leftFiles(parts: HomeParts): Problem[] {
  const store = readableStore(checkpointStoreOptions(parts));
  const dead = store === undefined ? [] : notesLeft(store.layout);
  const paths = [...homeLeftovers(parts), ...dead.map(({ path }) => path)];
  return paths.map((path) => ({
    kind: 'left-behind',
    subject: relative(parts.layout.root, path),
    message: `A process that died left ${path}.`,
    hint: 'Remove what it left with: coppice doctor --repair',
  }));
}

async function strayTrash(parts: HomeParts): Promise<Problem[]> {
  const store = readableStore(checkpointStoreOptions(parts));
  return store === undefined ? [] : (await findStrayTrash(store, parts.store.journal)).map(strayProblem);
}

async function goneClaims({ store, clock }: HomeParts): Promise<Problem[]> {
  const gone = await goneHolders(store, clock);
  if (gone.length === 0) return [];
  const message =
    gone.length === 1
      ? '1 process that is gone is still written down as a user of sessions. It no longer counts.'
      : `${gone.length} processes that are gone are still written down as users of sessions. They no longer count.`;
  return [
    {
      kind: 'claim-left',
      subject: 'state.db',
      message,
      hint: 'Forget them with: coppice doctor --repair',
    },
  ];
}

/** The reserve is laid in with the first change of what a home keeps, and not before. */
async function missingReserve(parts: HomeParts): Promise<Problem[]> {
  const { layout } = parts;
  const missing = existsSync(layout.lock) ? await missingReserveBytes(parts) : 0;
  if (missing <= 0 || ballastBytes(layout.ballast) > 0) return [];
  const message = `The reserve of ${missing / 1024 / 1024} MB, which makes removing possible on a full disk, is missing.`;
  const inItsPlace = whatIsNoFile(layout.ballast);
  const [why, first] = inItsPlace === undefined ? ['', ''] : [` ${inItsPlace}`, 'Move that out of the way. '];
  const hint = `${first}Lay it in with: coppice doctor --repair`;
  return [{ kind: 'reserve-missing', subject: 'ballast', message: message + why, hint }];
}

function whatIsNoFile(path: string): string | undefined {
  try {
    refuseIrregular(path);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
