import type { Problem } from '../../core/problem.ts';
import { shortId } from '../../core/retention/checkpoint.ts';
import { HOUR_MS } from '../../core/time.ts';
import { type GitPlace, runGit } from '../../platform/git/run-git.ts';
import { readSnapshots } from '../store/read-snapshots.ts';
import { incompleteOf } from './reachable-objects.ts';
import { healStore } from '../worktree/heal-store.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { TRASH } from '../store/store-layout.ts';
import { idsBelow, readRefs } from '../store/store-refs.ts';

export interface StoreVerdict {
  readonly checkpoints: number;
  readonly problems: readonly Problem[];
}

export interface VerifyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told from time to time how many objects, parts of checkpoints, were read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Whether every checkpoint is there, complete and exactly what was saved. Reads every object; changes nothing. */
export async function verifyStore(store: CheckpointStore, options: VerifyOptions = {}): Promise<StoreVerdict> {
  const { layout } = store;
  await healStore(store);
  // Shared, so that nothing is unlinked or written anew while it is looked at.
  using _shared = await store.lock.share(HOUR_MS);
  const { checkpoints, problems } = await readSnapshots(store);
  const ids = [...checkpoints.map(({ id }) => id), ...idsBelow(await readRefs(layout), TRASH)];
  const broken = await incompleteOf(layout, ids);
  return {
    checkpoints: checkpoints.length,
    problems: [...problems, ...broken.map(brokenProblem), ...(await contentProblems(layout, STORE, options))],
  };
}

function brokenProblem(id: string): Problem {
  return {
    kind: 'checkpoint-incomplete',
    subject: id,
    message: `Parts of the checkpoint ${shortId(id)} are missing, so it cannot be restored in full.`,
    hint: 'Put the checkpoints folder back from a backup, or take a new checkpoint while the files are there.',
  };
}

/** What to call the store where something is wrong with it. */
const STORE = 'checkpoints/store';

/** What git finds when it reads every object. What it says about the projects' own files is no concern of ours. */
export async function contentProblems(place: GitPlace, subject: string, options: VerifyOptions): Promise<Problem[]> {
  const settings = IGNORED.flatMap((check) => ['-c', `fsck.${check}=ignore`]);
  const args = [...settings, 'fsck', '--full', '--no-dangling', '--progress', '--no-reflogs'];
  const { signal, onProgress } = options;
  const { code, stdout, stderr } = await runGit(place, args, {
    okCodes: ANY_CODE,
    timeoutMs: HOUR_MS,
    signal,
    ...(onProgress && { onSaid: reading(await countObjects(place), onProgress) }),
  });
  if (code === 0) return [];
  const said = `${stdout.toString()}${stderr}`
    .split(/[\r\n]/)
    .filter((line) => /^(error|fatal|missing|broken|bad)/.test(line));
  return said.slice(0, MAX_SHOWN).map((line) => ({
    kind: 'object-damaged',
    subject,
    message: `git finds damage in ${subject === STORE ? 'the checkpoint store' : subject}: ${line}.`,
    hint: 'Put the checkpoints folder back from a backup. Checkpoints that are not named above can be restored.',
  }));
}

const MAX_SHOWN = 20;
/** A bit for each kind of damage. */
const ANY_CODE = Array.from({ length: 64 }, (_, code) => code);
const IGNORED = [
  ...['Blob', 'Large', 'Missing', 'Name', 'Parse', 'Path', 'Symlink', 'Update', 'Url'].map(
    (name) => `gitmodules${name}`,
  ),
  ...['Blob', 'Large', 'LineLength', 'Missing'].map((name) => `gitattributes${name}`),
];

interface ObjectCounts {
  readonly loose: number;
  readonly packed: number;
}

async function countObjects(place: GitPlace): Promise<ObjectCounts> {
  const said = (await runGit(place, ['count-objects', '-v'])).stdout.toString();
  const count = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(said)?.[1] ?? 0);
  return { loose: count('count'), packed: count('in-pack') };
}

/** git counts folders while it reads objects in files of their own, and objects while it reads packs. */
function reading({ loose, packed }: ObjectCounts, onProgress: (done: number, total: number) => void) {
  return (text: string) => {
    const [, what, percent = ''] = /Checking (object directories|objects): +(\d+)%[^%]*$/.exec(text) ?? [];
    if (what === undefined) return;
    const part = Number(percent) / 100;
    const done = what === 'objects' ? loose + part * packed : part * loose;
    onProgress(Math.floor(done), loose + packed);
  };
}
