import { Failure } from '../../core/failure.ts';
import type { Explanation, ItemRef } from '../../core/retention/plan.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Retention } from './retention.ts';

/** Why the item that a person named meets its fate. */
export async function explainById(sessions: Sessions, retention: Retention, id: string): Promise<Explanation> {
  const explanation = await retention.explain(await findItem(sessions, retention, id));
  if (explanation !== undefined) return explanation;
  throw new Failure('not-found', `${id} is gone.`, { hint: 'Run: coppice status' });
}

/** Fewer characters of a checkpoint's id may as well be those of a session's. */
const SHORTEST_ID = 8;

/** A whole id goes before the first characters of another; files and runs are named whole. */
async function findItem(sessions: Sessions, retention: Retention, id: string): Promise<ItemRef> {
  const session = await sessions.get(id);
  if (session !== undefined) return refOf(session);
  const { strays, trash, archives, checkpoints } = await retention.scan();
  const other = [...strays, ...trash, ...archives, ...checkpoints].find((item) => item.id === id);
  if (other !== undefined) return { kind: other.kind, id };
  const [checkpoint, ...more] = checkpoints.filter((item) => id.length >= SHORTEST_ID && item.id.startsWith(id));
  if (checkpoint === undefined || more.length > 0) return refOf(await sessions.find(id));
  const alsoSession = await sessions.find(id).catch(undefinedIfMissing);
  if (alsoSession === undefined) return { kind: 'checkpoint', id: checkpoint.id };
  throw new Failure('usage', `${id} could be session ${alsoSession.id} or checkpoint ${checkpoint.id}.`, {
    hint: 'Give the whole id of the one that you mean.',
  });
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof Failure) || error.code !== 'not-found') throw error;
}

function refOf({ id, archivedAt }: SessionFacts): ItemRef {
  return { kind: archivedAt === undefined ? 'session' : 'archive', id };
}
