import { pieceOf, sharedLength, shownPart } from '../../core/sessions/session-names.ts';
import { idsMeant, type Naming } from './ids-meant.ts';

/** More ids than this that look alike are not compared: the whole one is shown. */
const MOST_ALIKE = 64;
/** So many lengths are tried before the whole id is shown. */
const TRIES = 8;

/** The shortest that an id can be shown as: typed back, it names this session and no other that is there now. */
export async function shortIdOf(store: Naming, id: string): Promise<string> {
  const part = shownPart(id);
  if (part === undefined) return id;
  const { kind, least } = part;
  const start = pieceOf(id, { kind, length: least });
  const alike = start === undefined ? [] : await store.idsNamed({ kind, text: start }, MOST_ALIKE);
  if (alike.length === MOST_ALIKE) return id;
  const shared = alike.filter((other) => other !== id).map((other) => sharedLength(kind, id, other));
  const length = Math.max(least, 1 + Math.max(0, ...shared));
  for (let tried = length; tried < length + TRIES; tried += 1) {
    const piece = pieceOf(id, { kind, length: tried });
    if (piece === id) return id;
    if (piece !== undefined && (await meansOnly(store, piece, id))) return piece;
  }
  return id;
}

async function meansOnly(store: Naming, piece: string, id: string): Promise<boolean> {
  const [first, ...others] = await idsMeant(store, piece, 2);
  return first === id && others.length === 0;
}
