import { basename, join } from 'node:path';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import type { OtherSort } from '../../keeping/other-sorts.ts';
import { type GeminiPart, placeOf } from './gemini-places.ts';
import type { ChatHead } from './read-chat.ts';

/** What belongs to one session, put together by the ids that its files name in full. */
export interface SessionDraft {
  readonly id: string;
  /** Its conversation. A session that was taken up again, or copied, has it in several files. */
  readonly chats: ToldChat[];
  readonly subagents: ToldChat[];
  readonly parts: Map<string, PartDraft>;
}

export interface ToldChat {
  readonly file: TreeFile;
  readonly project: string;
  /** Absent where it could not be read. */
  readonly head: ChatHead | undefined;
}

export type PartDraft = Pick<GeminiPart, 'path' | 'project' | 'sparable'> & { readonly files: TreeFile[] };

export interface GeminiDrafts {
  readonly sessions: readonly SessionDraft[];
  /** What sessions have left behind whose conversation is nowhere to be found. */
  readonly left: readonly SessionDraft[];
  readonly others: readonly { readonly file: TreeFile; readonly sort: OtherSort }[];
}

/** Reads a chat, or says that it cannot be read. */
export type LookIntoChat = (path: string, file: TreeFile) => ChatHead | undefined;

/** Puts together what belongs to each session. */
export function draftSessions({ home, files }: HomeTree, look: LookIntoChat): GeminiDrafts {
  const byId = new Map<string, SessionDraft>();
  const others: { readonly file: TreeFile; readonly sort: OtherSort }[] = [];
  const parts: { readonly place: GeminiPart; readonly file: TreeFile }[] = [];
  const told: { readonly chat: ToldChat; readonly parent: string }[] = [];
  for (const file of files.values()) {
    const place = placeOf(file.path);
    if (place.kind === 'other') others.push({ file, sort: place.sort });
    else if (place.kind === 'part') parts.push({ place, file });
    else {
      const { project } = place;
      const chat: ToldChat = { file, project, head: look(join(home, file.path), file) };
      if (place.kind === 'chat') draftOf(byId, chat.head?.id ?? nameOf(file)).chats.push(chat);
      else told.push({ chat, parent: place.parent });
    }
  }
  const owners = ownersOf(told);
  const ownerOf = (id: string) => followOwners(id, owners);
  for (const { chat, parent } of told) draftOf(byId, ownerOf(parent)).subagents.push(chat);
  for (const { place, file } of parts) partIn(draftOf(byId, ownerOf(place.id)), place).files.push(file);
  const drafts = [...byId.values()];
  const isTold = ({ chats, subagents }: SessionDraft) => chats.length + subagents.length > 0;
  return { sessions: drafts.filter(isTold), left: drafts.filter((draft) => !isTold(draft)), others };
}

/** What a chat is called that does not say which session it is of. */
function nameOf({ path }: TreeFile): string {
  return basename(path).replace(/\.jsonl?$/, '');
}

function draftOf(byId: Map<string, SessionDraft>, id: string): SessionDraft {
  const found = byId.get(id);
  if (found !== undefined) return found;
  const draft = { id, chats: [], subagents: [], parts: new Map<string, PartDraft>() };
  byId.set(id, draft);
  return draft;
}

function partIn({ parts }: SessionDraft, { path, project, sparable }: GeminiPart): PartDraft {
  const part = parts.get(path) ?? { path, project, sparable, files: [] };
  parts.set(path, part);
  return part;
}

/** By the id of a subagent, the session that it worked for: what it left bears its own id. */
function ownersOf(told: readonly { readonly chat: ToldChat; readonly parent: string }[]): ReadonlyMap<string, string> {
  return new Map(told.map(({ chat: { file, head }, parent }) => [head?.id ?? nameOf(file), parent]));
}

/** Subagents have subagents. */
function followOwners(id: string, owners: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let at = id;
  for (let owner = owners.get(at); owner !== undefined && !seen.has(at); owner = owners.get(at)) {
    seen.add(at);
    at = owner;
  }
  return at;
}
