import type { OtherSort } from '../../keeping/other-sorts.ts';
import { otherSortOf } from './claude-others.ts';

/** What a path in a home is, by its name alone. Ids are as the names have them. */
export type ClaudePlace =
  | { readonly kind: 'transcript'; readonly id: string }
  /** What a subagent said, in the folder of its session. */
  | { readonly kind: 'subagent'; readonly id: string }
  /** The same as earlier versions wrote it, beside the sessions. Which of them it is of stands in the file. */
  | { readonly kind: 'loose-subagent'; readonly agent: string }
  | ClaudePart
  | { readonly kind: 'other'; readonly sort: OtherSort };

/** Something that belongs to a session, and what it moves with: the file itself, or a folder above it. */
export interface ClaudePart {
  readonly kind: 'part';
  readonly id: string;
  readonly path: string;
  readonly sparable: boolean;
  readonly secret: boolean;
  /** A copy of a session has the same files under names of its own. */
  readonly linked: boolean;
}

export function placeOf(path: string): ClaudePlace {
  return ownPlace(path.split('/')) ?? { kind: 'other', sort: otherSortOf(path) };
}

/** Whether a conversation is told there, rather than what subagents of it said. */
export function isMain(path: string): boolean {
  return ownPlace(path.split('/'))?.kind === 'transcript';
}

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
const SESSION = new RegExp(`^${UUID}$`, 'i');
const TRANSCRIPT = new RegExp(`^(${UUID})\\.jsonl$`, 'i');
const SUBAGENT = /^(agent-.+)\.jsonl$/;

interface Store {
  readonly name: RegExp;
  /** It is done without. */
  readonly spare?: true;
  /** Environments may hold keys. */
  readonly secret?: true;
  /** A copy of a session shares the files of its original. */
  readonly linked?: true;
}

/** Where each session has a folder or a file of its own. */
const STORES: Readonly<Record<string, Store>> = {
  'file-history': { name: SESSION, linked: true },
  'image-cache': { name: SESSION },
  'session-env': { name: SESSION, secret: true },
  tasks: { name: SESSION },
  debug: { name: new RegExp(`^(${UUID})\\.txt$`, 'i'), spare: true },
  todos: { name: new RegExp(`^(${UUID})-.+\\.json$`, 'i') },
};

function ownPlace(names: readonly string[]): ClaudePlace | undefined {
  const [top = '', name = ''] = names;
  if (top === 'projects') return inProject(names);
  const store = STORES[top];
  const match = store?.name.exec(name) ?? undefined;
  if (store === undefined || match === undefined) return undefined;
  const { spare = false, secret = false, linked = false } = store;
  // Either every session has a folder there, or every one a file.
  if ((store.name === SESSION) !== names.length > 2) return undefined;
  return { kind: 'part', id: match[1] ?? name, path: `${top}/${name}`, sparable: spare, secret, linked };
}

/** `projects/FOLDER/…`: a folder of each place that people worked in. */
function inProject(names: readonly string[]): ClaudePlace | undefined {
  const [, , name = '', below = ''] = names;
  if (names.length === 3) {
    const [, id] = TRANSCRIPT.exec(name) ?? [];
    if (id !== undefined) return { kind: 'transcript', id };
    const [, agent] = SUBAGENT.exec(name) ?? [];
    return agent === undefined ? undefined : { kind: 'loose-subagent', agent };
  }
  if (!SESSION.test(name)) return undefined;
  if (below === 'subagents' && SUBAGENT.test(names.at(-1) ?? '')) return { kind: 'subagent', id: name };
  // What stands among the words of subagents cannot move with its folder, or they would.
  const depth = below === 'subagents' ? names.length : 4;
  const sparable = SPARABLE.has(below);
  return { kind: 'part', id: name, path: names.slice(0, depth).join('/'), sparable, secret: false, linked: false };
}

/** Outputs that were too long for the conversation. Going on with a session does not ask for them. */
const SPARABLE: ReadonlySet<string> = new Set(['tool-results']);
