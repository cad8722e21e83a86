import { join } from 'node:path';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { type ClaudeHead, readHead } from './claude-head.ts';
import type { OtherSort } from '../../keeping/other-sorts.ts';
import { type ClaudePart, placeOf } from './claude-places.ts';

/** What names alone say of one session, and the first lines of its transcripts. */
export interface SessionDraft {
  readonly id: string;
  /** Its conversation. The same session in two folders has it twice. */
  readonly main: ToldFile[];
  /** What its subagents said. */
  readonly subagents: ToldFile[];
  readonly parts: Map<string, PartDraft>;
  /** Of a subagent that stands by itself, the session that it was of. */
  readonly parentId?: string;
}

export interface ToldFile {
  readonly file: TreeFile;
  /** Absent where it could not be read. */
  readonly head?: ClaudeHead;
}

export type PartDraft = Pick<ClaudePart, 'path' | 'sparable' | 'secret' | 'linked'> & { readonly files: TreeFile[] };

export interface ClaudeDrafts {
  readonly sessions: readonly SessionDraft[];
  /** What sessions have left behind whose conversation is nowhere to be found. */
  readonly left: readonly SessionDraft[];
  readonly others: readonly { readonly file: TreeFile; readonly sort: OtherSort }[];
}

/** Puts together what belongs to each session. */
export function draftSessions({ home, files }: HomeTree): ClaudeDrafts {
  const byId = new Map<string, SessionDraft>();
  const others: { readonly file: TreeFile; readonly sort: OtherSort }[] = [];
  const loose: { readonly file: TreeFile; readonly agent: string }[] = [];
  const told = (file: TreeFile): ToldFile => ({ file, ...headOf(join(home, file.path)) });
  for (const file of files.values()) {
    const place = placeOf(file.path);
    if (place.kind === 'transcript') draftOf(byId, place.id).main.push(told(file));
    else if (place.kind === 'subagent') draftOf(byId, place.id).subagents.push(told(file));
    else if (place.kind === 'part') partIn(draftOf(byId, place.id), place).files.push(file);
    else if (place.kind === 'loose-subagent') loose.push({ file, agent: place.agent });
    else others.push({ file, sort: place.sort });
  }
  for (const { file, agent } of loose) addLoose(byId, told(file), agent);
  const drafts = [...byId.values()];
  const isTold = ({ main, subagents }: SessionDraft) => main.length + subagents.length > 0;
  return { sessions: drafts.filter(isTold), left: drafts.filter((draft) => !isTold(draft)), others };
}

function draftOf(byId: Map<string, SessionDraft>, id: string, parentId?: string): SessionDraft {
  const found = byId.get(id);
  if (found !== undefined) return found;
  const draft = { id, main: [], subagents: [], parts: new Map(), ...(parentId !== undefined && { parentId }) };
  byId.set(id, draft);
  return draft;
}

function partIn({ parts }: SessionDraft, { path, sparable, secret, linked }: ClaudePart): PartDraft {
  const part = parts.get(path) ?? { path, sparable, secret, linked, files: [] };
  parts.set(path, part);
  return part;
}

/** Earlier versions wrote what subagents said beside the sessions: to the session if it is there, else a session of its own. */
function addLoose(byId: Map<string, SessionDraft>, told: ToldFile, agent: string): void {
  const parentId = told.head?.sessionId;
  const parent = parentId === undefined ? undefined : byId.get(parentId);
  if (parent !== undefined && parent.main.length > 0) parent.subagents.push(told);
  else if (parentId === undefined) draftOf(byId, agent).main.push(told);
  else draftOf(byId, `${parentId}.${agent}`, parentId).main.push(told);
}

function headOf(path: string): Pick<ToldFile, 'head'> {
  try {
    return { head: readHead(path) };
  } catch {
    // Whatever the reason is, it is told when somebody reads the session. Until then it stays.
    return {};
  }
}
