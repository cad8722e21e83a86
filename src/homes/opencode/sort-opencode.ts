import type { EpochMs } from '../../core/time.ts';
import type { SortedHome } from '../../keeping/file-home/file-agent.ts';
import type { HomeTree } from '../../keeping/file-home/home-tree.ts';
import { othersByPath, type PathSort } from '../../keeping/other-sorts.ts';
import { databaseInUse } from './database-in-use.ts';
import { findLeftovers } from './find-leftovers.ts';

/** Sorts the files of a home of opencode. Its sessions are rows, so what may go are leftovers alone, and those while nobody is at work. */
export async function sortOpencode(tree: HomeTree, now: EpochMs): Promise<SortedHome> {
  const isBusy = databaseInUse(tree.home, now) !== undefined;
  const { strays, problems } = isBusy ? { strays: [], problems: [] } : await findLeftovers(tree, now);
  const taken = new Set(strays.flatMap(({ files }) => files.map(({ path }) => path)));
  const left = [...tree.files.values()].filter(({ path }) => !taken.has(path));
  return { sessions: [], strays, others: othersByPath(left, OTHERS), problems, doubts: [] };
}

/** What is there beside leftovers, by sort. Whatever fits nothing is unknown, and stays. */
const OTHERS: readonly PathSort[] = [
  { name: 'database', fits: /^opencode(?:-[\w.-]+)?\.db(?:-wal|-shm)?$/, unbounded: true },
  { name: 'snapshot', fits: /^snapshot\//, unbounded: false },
  { name: 'tool-output', fits: /^tool-output\//, unbounded: false },
  { name: 'session-diff', fits: /^storage\/session_diff\//, unbounded: true },
  { name: 'older-sessions', fits: /^storage\//, unbounded: true },
  { name: 'log', fits: /^log\//, unbounded: false },
  { name: 'cloned-repository', fits: /^repos\//, unbounded: true },
  { name: 'program', fits: /^bin\//, unbounded: false },
  { name: 'settings', fits: /^(?:auth|mcp-auth)\.json$/, unbounded: false },
];
