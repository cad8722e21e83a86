import type { OtherSort } from '../../keeping/other-sorts.ts';
import { otherSortOf } from './gemini-others.ts';

/** What a path in a home is, by its name alone. Ids are as the names have them. */
export type GeminiPlace =
  /** A conversation. Which session it is of stands in the file alone: names have eight characters of an id. */
  | { readonly kind: 'chat'; readonly project: string }
  /** What a subagent said, in a folder named after the session that it worked for. */
  | { readonly kind: 'subagent'; readonly project: string; readonly parent: string }
  | GeminiPart
  | { readonly kind: 'other'; readonly sort: OtherSort };

/** Something that belongs to a session, and what it moves with: the file itself, or a folder above it. */
export interface GeminiPart {
  readonly kind: 'part';
  readonly project: string;
  readonly id: string;
  readonly path: string;
  readonly sparable: boolean;
}

export function placeOf(path: string): GeminiPlace {
  return inProject(path, path.split('/')) ?? { kind: 'other', sort: otherSortOf(path) };
}

/** The folder of the project in which something lies. */
export function projectOf(path: string): string | undefined {
  const [top, project, below] = path.split('/');
  return top === 'tmp' && below !== undefined ? project : undefined;
}

/** Whether a file is a conversation of a session itself, and not one that a subagent had. */
export function isChat(path: string): boolean {
  return placeOf(path).kind === 'chat';
}

/** Earlier versions named a project by the SHA-256 of its path. Newer ones copy such a folder, and leave it behind. */
export function isLegacy(project: string): boolean {
  return /^[0-9a-f]{64}$/.test(project);
}

/** Names in the folder of a project that are no ids, whatever a file may say. */
const RESERVED: ReadonlySet<string> = new Set(['chats', 'checkpoints', 'logs', 'memory', 'tool-outputs']);

/** Whether names of files are made of an id as it is. Of another one nobody can say from here which files are its own. */
export function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9_-]{8,}$/.test(id) && !RESERVED.has(id.toLowerCase());
}

/** `tmp/PROJECT/…`: a folder for each place that people worked in. */
function inProject(path: string, names: readonly string[]): GeminiPlace | undefined {
  const [top, project = '', store = '', name = ''] = names;
  if (top !== 'tmp' || names.length < 4) return undefined;
  const part = (id: string | undefined, depth: number, sparable: boolean): GeminiPart | undefined => {
    if (id === undefined || !isPlainId(id)) return undefined;
    return { kind: 'part', project, id, path: names.slice(0, depth).join('/'), sparable };
  };
  if (store === 'chats') {
    if (names.length === 4) return CHAT.test(name) ? { kind: 'chat', project } : undefined;
    const isTold = names.length === 5 && /\.jsonl?$/.test(path);
    if (isTold && isPlainId(name)) return { kind: 'subagent', project, parent: name };
    // What stands among the words of subagents cannot move with its folder, or they would.
    return part(name, names.length, false);
  }
  if (store === 'logs') return names.length === 4 ? part(LOG.exec(name)?.[1], 4, true) : undefined;
  if (store === 'tool-outputs') return names.length > 4 ? part(OUTPUTS.exec(name)?.[1], 4, true) : undefined;
  // Plans, lists of tasks and the like, in a folder that has the id for its name.
  return part(store, 3, false);
}

const CHAT = /^session-.+\.jsonl?$/;
const LOG = /^session-(.+)\.jsonl$/;
const OUTPUTS = /^session-(.+)$/;
