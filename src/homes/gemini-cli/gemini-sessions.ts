import type { Problem } from '../../core/problem.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import type { EpochMs } from '../../core/time.ts';
import type { FoundSession, SessionPart } from '../../keeping/file-home/file-agent.ts';
import { RECENT_MS, recentlyUsed } from '../../keeping/file-home/recently-used.ts';
import type { PartDraft, SessionDraft, ToldChat } from './gemini-drafts.ts';
import { isLegacy, isPlainId } from './gemini-places.ts';

export interface FinishedSessions {
  readonly sessions: readonly FoundSession[];
  readonly problems: readonly Problem[];
}

/** Says of each session what of it is told where, and whether it is in use. `busy` are projects in which the program is at work. */
export function finishSessions(
  drafts: readonly SessionDraft[],
  { now, busy }: { readonly now: EpochMs; readonly busy: ReadonlySet<string> },
): FinishedSessions {
  const sessions = drafts.map((draft): FoundSession => {
    const { id, chats, subagents } = draft;
    const { told, copies } = tellOnce(chats);
    const transcripts = [...told, ...subagents].map(({ file }) => file);
    const parts = [...copies.map(asPart), ...[...draft.parts.values()].map(finishPart)];
    const all = [...chats, ...subagents];
    const hold = holdOf(id, all);
    return {
      id,
      transcripts,
      parts,
      active: recentlyUsed({ transcripts, parts }, now) || all.some((chat) => isBusy(chat, { now, busy })),
      ...(hold !== undefined && { hold }),
      ...(all.some(({ head }) => head?.isChat !== true) && { unreadable: true }),
    };
  });
  return { sessions, problems: drafts.flatMap(unreadableIn) };
}

/**
 * The files in which a conversation is told. A session that was taken up again has a second file with nothing said in it, and newer
 * versions copied the folder of a project under another name.
 */
function tellOnce(chats: readonly ToldChat[]): {
  readonly told: readonly ToldChat[];
  readonly copies: readonly ToldChat[];
} {
  const inOrder = chats.toSorted(oldestFirst);
  const elsewhere = new Set(chats.filter(({ project }) => !isLegacy(project)).map(({ file }) => nameOf(file.path)));
  const isCopy = ({ project, file }: ToldChat) => isLegacy(project) && elsewhere.has(nameOf(file.path));
  const says = inOrder.filter((chat) => !isCopy(chat) && chat.head?.hasTalk === true);
  const told = says.length > 0 ? says : inOrder.slice(0, 1);
  return { told, copies: inOrder.filter((chat) => !told.includes(chat)) };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function oldestFirst({ file: one }: ToldChat, { file: other }: ToldChat): number {
  return one.modifiedAt - other.modifiedAt || (one.path < other.path ? -1 : 1);
}

function isBusy(
  { project, head }: ToldChat,
  { now, busy }: { readonly now: EpochMs; readonly busy: ReadonlySet<string> },
): boolean {
  // Its file may have been written anew since then, with an older time.
  return busy.has(project) || (head?.lastUpdated ?? 0) > now - RECENT_MS;
}

/** Nobody knows what belongs to an id of which other names are made, or to a kind of chats that is not known. */
function holdOf(id: string, all: readonly ToldChat[]): SessionHold | undefined {
  return isPlainId(id) && all.every(isKnown) ? undefined : { kind: 'report-only' };
}

function isKnown({ head }: ToldChat): boolean {
  return head?.kind === undefined || KINDS.has(head.kind);
}

const KINDS: ReadonlySet<string> = new Set(['main', 'subagent']);

function asPart({ file }: ToldChat): SessionPart {
  return { path: file.path, files: [file], sparable: false };
}

function finishPart({ path, files, sparable }: PartDraft): SessionPart {
  return { path, files, sparable };
}

function unreadableIn({ chats, subagents }: SessionDraft): Problem[] {
  return [...chats, ...subagents].flatMap(({ file: { path }, head }) => {
    if (head?.isChat === true) return [];
    const why = head === undefined ? 'cannot be read' : 'holds nothing that Gemini CLI writes';
    return [{ kind: 'unreadable', subject: path, message: `${path} ${why}, so its session is left alone.` }];
  });
}
