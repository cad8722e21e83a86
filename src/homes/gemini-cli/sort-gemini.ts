import type { Problem } from '../../core/problem.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import type { FoundStray, SortedHome } from '../../keeping/file-home/file-agent.ts';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { newestOf } from '../../keeping/file-home/session-pieces.ts';
import { isBusyProject } from './busy-projects.ts';
import {
  draftSessions,
  type GeminiDrafts,
  type LookIntoChat,
  type PartDraft,
  type SessionDraft,
} from './gemini-drafts.ts';
import { sumOthers, UNKNOWN } from '../../keeping/other-sorts.ts';
import { LEFT_OVER } from './gemini-others.ts';
import { projectOf } from './gemini-places.ts';
import { finishSessions } from './gemini-sessions.ts';

export interface SortGemini {
  readonly now: EpochMs;
  readonly look: LookIntoChat;
  /** Folders in which a process of Gemini CLI is at work. */
  readonly workdirs: ReadonlySet<string>;
}

/** Sorts a home of Gemini CLI by names and by both ends of its chats. */
export function sortGemini(tree: HomeTree, { now, look, workdirs }: SortGemini): SortedHome {
  const drafts = draftSessions(tree, look);
  const projects = new Set([...tree.files.keys()].flatMap((path) => projectOf(path) ?? []));
  const busy = new Set([...projects].filter((project) => isBusyProject(tree.home, project, workdirs)));
  const { sessions, problems } = finishSessions(drafts.sessions, { now, busy });
  const strays: FoundStray[] = [];
  const others = sumOthers();
  const doubtful = doubtfulProjects(tree, drafts);
  for (const draft of drafts.left) {
    for (const part of draft.parts.values()) {
      const { path, files, project } = part;
      if (!isLeft(draft, part)) others.add(UNKNOWN, files);
      else if (busy.has(project) || doubtful.has(project) || newestOf(files) > now - DAY_MS)
        others.add(LEFT_OVER, files);
      else strays.push({ kind: 'orphan', path, files });
    }
  }
  for (const { sort, file } of drafts.others) {
    if (isDebris(file, now)) strays.push({ kind: 'debris', path: file.path, files: [file] });
    else others.add(sort, [file]);
  }
  return { sessions, strays, others: others.sums(), problems: [...problems, ...linkProblems(tree)], doubts: [] };
}

/**
 * Projects in which a session that is not found may be there all the same: in a chat that does not say whose it is, behind a link, or
 * in a folder that cannot be read.
 */
function doubtfulProjects({ odd, unreadable }: HomeTree, { sessions }: GeminiDrafts): ReadonlySet<string> {
  const chats = sessions.flatMap((session) => [...session.chats, ...session.subagents]);
  const nameless = chats.filter(({ head }) => head?.id === undefined).map(({ project }) => project);
  const unseen = [...odd, ...unreadable].flatMap((path) => projectOf(`${path}/`) ?? []);
  return new Set([...nameless, ...unseen]);
}

/** Its name, and for a folder what is in it, say that it was of a session. */
function isLeft({ id }: SessionDraft, { path, files }: PartDraft): boolean {
  if (!UUID.test(id)) return false;
  return (
    path.split('/').length !== 3 ||
    files.every((file) => /^(plans|tasks|tracker)\//.test(file.path.slice(path.length + 1)))
  );
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** What a write of the list of projects leaves that was cut short. */
function isDebris({ path, modifiedAt }: TreeFile, now: EpochMs): boolean {
  return /^projects\.json\.[0-9a-f-]{36}\.tmp$/.test(path) && modifiedAt <= now - DAY_MS;
}

/** A link, or anything else that is no folder, where chats would be. */
function linkProblems({ odd }: HomeTree): Problem[] {
  return odd
    .filter((path) => /^tmp(\/[^/]+(\/chats(\/[^/]+)?)?)?$/.test(path))
    .map((path) => {
      const message = `${path} is a link, or no folder. What is behind it is not looked at, and nothing of it is touched.`;
      return { kind: 'link', subject: path, message };
    });
}
