import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Problem } from '../../core/problem.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import type { EpochMs } from '../../core/time.ts';
import type { FoundSession, OtherFiles, SortedHome } from '../../keeping/file-home/file-agent.ts';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { recentlyUsed } from '../../keeping/file-home/recently-used.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { idOfName, type PiHeader, readPiHeader } from './pi-header.ts';

/** The version of its files that pi 0.73 to 0.87 write. */
const KNOWN_VERSION = 3;
/** Others get a turn after so many of them were looked into. */
const TURN_FILES = 200;

/** Sorts the home of pi: one file for each session, in a folder for each working directory. */
export async function sortPi(tree: HomeTree, now: EpochMs, busy: ReadonlySet<string>): Promise<SortedHome> {
  const files = [...tree.files.values()];
  const transcripts = files.filter(({ path }) => SESSION.test(path));
  const found: PiSession[] = [];
  const problems: Problem[] = [];
  for (const file of transcripts) {
    if (found.length % TURN_FILES === 0) await setImmediate();
    const one = readOne(tree.home, file);
    if (one.problem !== undefined) problems.push(one.problem);
    found.push(one);
  }
  const children = childrenOf(found);
  const sessions = found.map((one) => sessionOf(one, { now, busy, child: children.get(one.id) }));
  return { sessions, strays: [], others: othersIn(files), problems, doubts: [] };
}

/** Files of sessions in the folder of a working directory, or right in the folder of sessions, where older versions put them. */
const SESSION = /^sessions\/(?:[^/]+\/)?[^/]+\.jsonl$/;

interface PiSession {
  readonly file: TreeFile;
  readonly id: string;
  readonly header?: PiHeader;
  readonly problem?: Problem;
}

function readOne(home: string, file: TreeFile): PiSession {
  const id = idOfName(basename(file.path)) ?? basename(file.path, '.jsonl');
  try {
    const header = readPiHeader(join(home, file.path));
    if (header !== undefined) return { file, id: header.id, header };
    return { file, id, problem: damaged(file.path, 'does not begin as a session of pi does') };
  } catch (error) {
    return { file, id, problem: damaged(file.path, `cannot be read: ${errorSentence(error).replace(/\.$/, '')}`) };
  }
}

/** By the id of a session, one that was forked from it: its file names the path of the other, which has to stay there. */
function childrenOf(found: readonly PiSession[]): ReadonlyMap<string, string> {
  return new Map(found.flatMap(({ id, header }) => (header?.parentId === undefined ? [] : [[header.parentId, id]])));
}

interface Around {
  readonly now: EpochMs;
  /** Folders in which a process of pi is at work. */
  readonly busy: ReadonlySet<string>;
  readonly child: string | undefined;
}

function sessionOf({ file, id, header }: PiSession, { now, busy, child }: Around): FoundSession {
  const hold: SessionHold | undefined =
    header !== undefined && header.version !== KNOWN_VERSION
      ? { kind: 'report-only' }
      : child === undefined
        ? undefined
        : { kind: 'referenced', by: child };
  const transcripts = [file];
  const isBusy = header?.workdir !== undefined && busy.has(header.workdir);
  return {
    id,
    transcripts,
    parts: [],
    active: isBusy || recentlyUsed({ transcripts, parts: [] }, now),
    ...(header?.parentId !== undefined && { parentId: header.parentId }),
    ...(hold !== undefined && { hold }),
    ...(header === undefined && { unreadable: true }),
  };
}

/** The rest of what pi is known to write. What is not here is unknown. */
const OTHERS: readonly (readonly [name: string, fits: RegExp, unbounded: boolean])[] = [
  ['credentials', /^auth\.json$/, false],
  [
    'settings',
    /^(settings|models|models-store|keybindings|trust)\.json$|^(AGENTS|SYSTEM|APPEND_SYSTEM|CLAUDE)\.md$/,
    false,
  ],
  ['extensions', /^(extensions|skills|prompts|themes|commands|tools|hooks)\//, false],
  ['packages', /^(npm|git|bin)\//, false],
  ['log', /^[^/]+\.log$/, true],
];

function othersIn(files: readonly TreeFile[]): OtherFiles[] {
  return OTHERS.map(([name, fits, unbounded]) => {
    return { name, files: files.filter(({ path }) => fits.test(path)), unbounded };
  }).filter((sort) => sort.files.length > 0);
}

function damaged(path: string, why: string): Problem {
  return { kind: 'unreadable', subject: path, message: `${path} ${why}. It is left alone.` };
}
