import { join } from 'node:path';
import { doneUnless } from '../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../core/retention/run.ts';
import { readLiveness } from '../sessions/hermes-liveness.ts';
import { readSession } from '../sessions/hermes-rows.ts';
import { lookAtFiles, plainFile, sumSizes } from '../sessions/session-files.ts';
import { fileObstacle } from './hermes-trash.ts';
import { CHANGED, sessionObstacle } from './session-obstacle.ts';
import type { TakeDesk } from './take-desk.ts';

/**
 * Takes files away from a session that stays, under the write lock, so that Hermes does not begin to use it meanwhile. What a
 * crash left in the trash counts as still there; it comes back when the session has to keep its files after all.
 */
export async function takeFiles(desk: TakeDesk, item: RunItem): Promise<ItemOutcome> {
  // Listed before the lock is taken, where nobody has done so yet.
  const { hermes, home, trash, files: listed } = desk;
  const { number } = item;
  const obstacle = await hermes.write(() => {
    const row = readSession(hermes, item.item.id);
    if (row === undefined) return 'It is gone already.';
    const own = lookAtFiles(home, listed.of(row.id));
    const taken = own.map((file) => ({ ...file, stat: plainFile(trash.files.pathOf(number, file.name)) }));
    const files = sumSizes([...own, ...taken]);
    const liveness = readLiveness(home, hermes, desk.now());
    const stays = sessionObstacle(hermes, row, { fingerprint: item.fingerprint, files, liveness, leaves: false });
    const parts = item.action === 'drop-dumps' ? ['dumps'] : ['dumps', 'transcript'];
    const wanted = own.filter(({ part, stat }) => parts.includes(part) && stat !== undefined);
    const stop = stays ?? fileObstacle(home, wanted);
    const names = wanted.map(({ name }) => name);
    if (stop === undefined) trash.files.take(number, names);
    return stop;
  });
  if (obstacle !== undefined) trash.letGo(number);
  return doneUnless(item, obstacle);
}

/** Takes a file that no session owns, if it still is one and has not changed. A sentence when it stays. */
export function takeStray(
  { home, trash, files }: TakeDesk,
  { number, item, fingerprint }: RunItem,
): string | undefined {
  const name = item.id.startsWith(SESSIONS) ? item.id.slice(SESSIONS.length) : '';
  // Taken before a crash.
  if (trash.files.names(number).includes(name)) return undefined;
  const stat = plainFile(join(home, 'sessions', name));
  if (stat === undefined) return 'It is gone already.';
  if (!files.isOrphan(name) || fingerprint !== `${Math.floor(stat.mtimeMs)}:${stat.size}`) return CHANGED;
  trash.files.take(number, [name]);
  return undefined;
}

const SESSIONS = 'sessions/';
