import type { Problem } from '../../core/problem.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import type { FoundStray, SortedHome } from '../../keeping/file-home/file-agent.ts';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { draftSessions, type SessionDraft } from './claude-drafts.ts';
import { sumOthers } from '../../keeping/other-sorts.ts';
import { otherSortOf } from './claude-others.ts';
import { type ClaudeRegistry, readRegistry } from './claude-registry.ts';
import { finishSessions, usedSince } from './claude-sessions.ts';

/** Sorts a home of Claude Code by names, by the first lines of transcripts, and by what running programs say they have open. */
export function sortClaude(tree: HomeTree, now: EpochMs): SortedHome {
  const registry = readRegistry(tree.home);
  const drafts = draftSessions(tree);
  const { sessions, problems } = finishSessions(drafts.sessions, { registry, now });
  const strays: FoundStray[] = [];
  const others = sumOthers();
  const seesAll = registry.problems.length === 0 && seesProjects(tree);
  for (const draft of drafts.left) {
    const gone = seesAll && isGone(draft, registry, now);
    for (const { path, files } of draft.parts.values()) {
      // Files that a copy of the session has as well give nothing back.
      const isAlone = files.every(({ linkCount }) => linkCount === 1);
      if (gone && isAlone) strays.push({ kind: 'orphan', path, files });
      else others.add(otherSortOf(path), files);
    }
  }
  for (const { sort, file } of drafts.others) {
    if (isDebris(file, now)) strays.push({ kind: 'debris', path: file.path, files: [file] });
    else others.add(sort, [file]);
  }
  return {
    sessions,
    strays,
    others: others.sums(),
    problems: [
      ...registry.problems,
      ...registry.elsewhere,
      ...problems,
      ...tree.odd.filter(isProject).map(linkProblem),
    ],
    doubts: registry.problems.length > 0 ? ['activity-unknown'] : [],
  };
}

/** Whether a session that is not found is not there. It may be behind a link, or in a folder that cannot be read. */
function seesProjects({ folders, odd, unreadable }: HomeTree): boolean {
  return folders.has('projects') && ![...odd, ...unreadable].some((path) => path === '.' || isInProjects(path));
}

/** No running program has it either, and for a day nobody wrote to what it left. */
function isGone({ id, parts }: SessionDraft, registry: ClaudeRegistry, now: EpochMs): boolean {
  return !registry.open.has(id) && ![...parts.values()].some(({ files }) => usedSince(files, now - DAY_MS));
}

/** What a write leaves that was cut short: beside the file that it was for, under the number of its process. */
function isDebris({ path, modifiedAt }: TreeFile, now: EpochMs): boolean {
  const [, aim] = UNFINISHED.exec(path) ?? [];
  return aim !== undefined && WRITTEN_WHOLE.has(otherSortOf(aim).name) && modifiedAt <= now - DAY_MS;
}

const UNFINISHED = /^(.+)\.tmp\.\d+(?:\.[0-9a-f]+)+$/;
/** Sorts that Claude Code alone writes, each file of them as a whole. */
const WRITTEN_WHOLE: ReadonlySet<string> = new Set([
  'settings',
  'registry',
  'prompt-history',
  'totals',
  'project-index',
]);

function isInProjects(path: string): boolean {
  return path === 'projects' || path.startsWith('projects/');
}

/** A link, or anything else that is no folder, where the folder of a project would be. */
function isProject(path: string): boolean {
  return isInProjects(path) && path.split('/').length <= 2;
}

function linkProblem(path: string): Problem {
  const message = `${path} is a link, or no folder. The sessions behind it are not looked at, and nothing of them is touched.`;
  return { kind: 'link', subject: path, message };
}
