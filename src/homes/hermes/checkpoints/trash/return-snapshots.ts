import { existsSync } from 'node:fs';
import { done, skip } from '../../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../../core/retention/run.ts';
import { type CopyRequest, copyGitObjects } from '../../../../platform/git/copy-git-objects.ts';
import { GitError, type GitPlace, runGit } from '../../../../platform/git/run-git.ts';
import { wait } from '../../../../platform/machine/wait.ts';
import { dropKeeps, dropShortcuts } from '../store/pack-files.ts';
import type { ProjectAddress } from '../store/project-address.ts';
import { type Chain, namedParents, readChain } from '../store/read-chain.ts';
import { gitPlace } from '../store/read-snapshots.ts';
import { changeShallow } from '../store/shallow-file.ts';
import type { DiscardDesk } from './discard-snapshots.ts';
import { skipIfRefused } from './skip-if-refused.ts';

type ReturnDesk = Omit<DiscardDesk, 'place'>;

/**
 * Puts snapshots back where a run took them from: below the oldest that is there, or as the whole history of a project. Their
 * content comes first, in a pack that no git may drop; only then is the history joined.
 */
export function returnSnapshots(
  desk: ReturnDesk,
  address: ProjectAddress,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  return skipIfRefused(items, () => bringBack(desk, address, items));
}

async function bringBack(
  { runId, trash, whole }: ReturnDesk,
  address: ProjectAddress,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  const { gitDir, ref, repository } = address;
  if (whole.has(runId, address)) {
    const detail = 'Something else stands where its repository was.';
    return whole.bringBack(runId, repository) ? items.map(done) : items.map((item) => skip(item, detail));
  }
  if (!existsSync(gitDir)) return items.map((item) => skip(item, 'Hermes has removed its checkpoints since.'));
  const chain = await readChain(gitDir, ref);
  if (chain === undefined) return items.map((item) => skip(item, REWRITTEN));
  const held = new Set((await trash.held(runId)).values());
  const wanted = items.map(({ item }) => item.id).filter((id) => held.has(id) && !chain.ids.includes(id));
  const parents = await namedParents(trash.place, [...held]);
  const path = pathTo(wanted, { start: await startOf(address, chain, { parents, wanted }), parents });
  if (path.length > 0) await joinHistory(trash.place, address, { chain, path, parents });
  whole.giveNotesBack(runId, address);
  const there = new Set([...chain.ids, ...path]);
  const back = items.filter(({ item }) => there.has(item.id));
  await trash.drop(
    runId,
    back.map(({ number }) => number),
  );
  return items.map((item) =>
    back.includes(item) ? done(item) : skip(item, held.has(item.item.id) ? REWRITTEN : GONE),
  );
}

const REWRITTEN = 'The history it belongs to is not what it was: undo later runs first. Hermes may have cut it too.';
const GONE = 'It is no longer in the trash.';

type Parents = ReadonlyMap<string, string | undefined>;

/** Where the history goes on: before the oldest that is there, or at the newest of all that was taken. */
async function startOf(
  { gitDir }: ProjectAddress,
  { ids }: Chain,
  { parents, wanted }: { readonly parents: Parents; readonly wanted: readonly string[] },
): Promise<string | undefined> {
  const oldest = ids.at(-1);
  if (oldest !== undefined) return (await namedParents(gitPlace(gitDir), [oldest])).get(oldest);
  const childOf = new Map([...parents].map(([id, parent]) => [parent, id]));
  let [newest] = wanted;
  while (childOf.has(newest)) newest = childOf.get(newest);
  return newest;
}

/** From there down to the last one that is wanted. What lies between comes along. */
function pathTo(
  wanted: readonly string[],
  { start, parents }: { start: string | undefined; parents: Parents },
): string[] {
  const path: string[] = [];
  for (let id = start; id !== undefined && parents.has(id); id = parents.get(id)) path.push(id);
  return path.slice(0, path.findLastIndex((id) => wanted.includes(id)) + 1);
}

async function joinHistory(
  from: GitPlace,
  { gitDir, ref }: ProjectAddress,
  { chain, path, parents }: { readonly chain: Chain; readonly path: readonly string[]; readonly parents: Parents },
): Promise<void> {
  const place = gitPlace(gitDir);
  const last = path.at(-1) ?? '';
  const cut = parents.get(last) === undefined ? [] : [last];
  await copyPatiently({ from, to: place, ids: path, keep: true });
  try {
    dropShortcuts(gitDir);
    changeShallow(gitDir, { add: cut, remove: chain.ids.slice(-1) });
    if (chain.ids.length === 0 && ref !== undefined) await runGit(place, ['update-ref', ref, path[0] ?? '', NO_ID]);
  } finally {
    dropKeeps(gitDir);
  }
}

/** A git that tidies up for an older Hermes removes what others are just writing, so one failure is none. */
async function copyPatiently(request: CopyRequest): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await copyGitObjects(request);
      return;
    } catch (error) {
      if (!(error instanceof GitError) || attempt === ATTEMPTS) throw error;
      await wait(attempt * PAUSE_MS);
    }
  }
}

const ATTEMPTS = 6;
const PAUSE_MS = 100;
const NO_ID = '0'.repeat(40);
