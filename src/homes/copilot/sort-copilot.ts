import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Problem } from '../../core/problem.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import type { EpochMs } from '../../core/time.ts';
import type { FoundSession, SessionPart, SortedHome } from '../../keeping/file-home/file-agent.ts';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { recentlyUsed } from '../../keeping/file-home/recently-used.ts';
import { sumOthers } from '../../keeping/other-sorts.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { type CopilotHead, readCopilotHead } from './copilot-head.ts';
import { otherSortOf } from './copilot-others.ts';
import { isOpenIn, MARK } from './copilot-use.ts';

/** Others get a turn after so many sessions were looked into. */
const TURN_SESSIONS = 100;

/** The form of events that Copilot CLI 1.0 writes. */
const KNOWN_VERSION = 1;

export const EVENTS = 'events.jsonl';

/** Sorts a home of Copilot CLI: a folder for each session, with its events and all that belongs to it. */
export async function sortCopilot(tree: HomeTree, now: EpochMs): Promise<SortedHome> {
  const others = sumOthers();
  const folders = new Map<string, TreeFile[]>();
  for (const file of tree.files.values()) {
    const [, id] = IN_SESSION.exec(file.path) ?? [];
    const isTold = id !== undefined && tree.files.has(`${placeOf(id)}/${EVENTS}`);
    if (!isTold) others.add(otherSortOf(file.path), [file]);
    else filesOf(folders, id).push(file);
  }
  const unseen = unseenIn(tree);
  const sessions: FoundSession[] = [];
  const problems: Problem[] = [];
  for (const [id, files] of folders) {
    if (sessions.length % TURN_SESSIONS === 0) await setImmediate();
    const found = sessionOf(id, files, { tree, now, unseen: unseen.has(id) });
    sessions.push(found.session);
    if (found.trouble !== undefined) problems.push(damaged(id, found.trouble));
  }
  return { sessions, strays: [], others: others.sums(), problems, doubts: [] };
}

function filesOf(folders: Map<string, TreeFile[]>, id: string): TreeFile[] {
  const files = folders.get(id) ?? [];
  folders.set(id, files);
  return files;
}

/** Names of folders of sessions are ids. One that begins with a dot is none. */
const IN_SESSION = /^session-state\/([^/.][^/]*)\//;

/** The folder of a session. */
export function placeOf(id: string): string {
  return `session-state/${id}`;
}

/** Sessions in whose folders there is a link, or something that cannot be looked at. */
function unseenIn({ odd, unreadable }: HomeTree): ReadonlySet<string> {
  return new Set([...odd, ...unreadable].flatMap((path) => IN_SESSION.exec(`${path}/`)?.[1] ?? []));
}

interface LookedSession {
  readonly session: FoundSession;
  /** What is wrong with its events. */
  readonly trouble: string | undefined;
}

interface Around {
  readonly tree: HomeTree;
  readonly now: EpochMs;
  /** Not everything in its folder could be seen. */
  readonly unseen: boolean;
}

function sessionOf(id: string, files: readonly TreeFile[], { tree, now, unseen }: Around): LookedSession {
  const { head, trouble } = headOf(join(tree.home, placeOf(id), EVENTS));
  const transcripts = files.filter(({ path }) => path === `${placeOf(id)}/${EVENTS}`);
  const parts = partsOf(tree, id, files);
  const hold: SessionHold | undefined =
    unseen || (head !== undefined && (head.version !== KNOWN_VERSION || head.id !== id))
      ? { kind: 'report-only' }
      : undefined;
  const isMarked = files.some(({ path }) => MARK.test(path.slice(placeOf(id).length + 1)));
  const session = {
    id,
    transcripts,
    parts,
    active: recentlyUsed({ transcripts, parts }, now) || (isMarked && isOpenIn(join(tree.home, placeOf(id)))),
    ...(hold !== undefined && { hold }),
    ...(trouble !== undefined && { unreadable: true }),
  };
  return { session, trouble };
}

function headOf(path: string): { readonly head?: CopilotHead; readonly trouble?: string } {
  try {
    const head = readCopilotHead(path);
    return head === undefined ? { trouble: 'does not begin as a session of Copilot CLI does' } : { head };
  } catch (error) {
    return { trouble: `cannot be read: ${errorSentence(error).replace(/\.$/, '')}` };
  }
}

/** Everything beside the events, each folder in one piece, also where nothing is in it. */
function partsOf({ folders }: HomeTree, id: string, files: readonly TreeFile[]): SessionPart[] {
  const own = FOLDERS.map((name) => `${placeOf(id)}/${name}`).filter((path) => folders.has(path));
  const byPath = new Map<string, TreeFile[]>(own.map((path) => [path, []]));
  const start = `${placeOf(id)}/`;
  for (const file of files) {
    const name = file.path.slice(start.length).split('/', 1).join();
    if (name === EVENTS) continue;
    const known = byPath.get(start + name);
    if (known === undefined) byPath.set(start + name, [file]);
    else known.push(file);
  }
  return [...byPath].map(([path, all]) => ({ path, files: all, sparable: false }));
}

/** Made for each session, and often never used. */
const FOLDERS = ['checkpoints', 'files', 'research', 'rewind-file-snapshots'];

function damaged(id: string, why: string): Problem {
  return { kind: 'unreadable', subject: id, message: `The session ${id} ${why}. It is left alone.` };
}
