import type { Problem } from '../../core/problem.ts';
import { type NativeFile, nativeFiles } from '../../homes/native/native-files.ts';
import { transcriptProblems } from '../../homes/native/transcript-check.ts';
import type { HomeParts } from '../home-parts.ts';
import { persistingProblems } from '../maintenance/persisting-problems.ts';
import { checkArchive } from './check-archive.ts';
import { checkObjects } from './check-objects.ts';
import { leftoverProblems } from './check-leftovers.ts';
import { permissionProblems } from './check-permissions.ts';

/** One thing that was looked at, how much of it, and what is wrong with it. */
export interface HomeCheck {
  readonly name: string;
  /** How many things were looked at, where that says something. */
  readonly looked?: number;
  readonly problems: readonly Problem[];
}

export interface CheckOptions {
  readonly signal?: AbortSignal;
  /** Told how many things of the current check were looked at so far. */
  readonly onProgress?: (done: number) => void;
}

/** Looks at everything a home holds, and says of each part that it was looked at. Changes nothing but what a dead process left. */
export async function* checkHome(parts: HomeParts, options: CheckOptions = {}): AsyncGenerator<HomeCheck> {
  yield { name: 'permissions', problems: permissionProblems(parts.layout) };
  for await (const check of settledOnTheWay(parts)) {
    options.signal?.throwIfAborted();
    yield check;
    // Files are compared with what the database says, so they wait until it can be read.
    if (check.problems.some(({ kind }) => kind === 'database-damaged')) return;
  }
  yield { name: 'leftovers', problems: await leftoverProblems(parts) };
  yield await persistingProblems(parts, () => checkTranscripts(parts, options));
  yield await persistingProblems(parts, () => checkFiles(parts, options));
  yield await persistingProblems(parts, () => checkArchive(parts, options));
  const objects = await checkObjects(parts);
  if (objects !== undefined) yield objects;
}

/** What the store says of itself. What was cut short is ended once its file is known to be whole: a damaged one is not written to. */
export async function* settledOnTheWay({ store, settleFirst }: HomeParts): AsyncGenerator<HomeCheck> {
  let looked = false;
  for await (const check of store.check()) {
    yield check;
    if (!looked && check.problems.length === 0) yield* takenUp(store, (await settleFirst?.()) ?? []);
    looked = true;
  }
}

/** Tells of each run that had been cut short what became of it: whoever looks must not hear that nothing was changed. */
async function* takenUp({ journal }: HomeParts['store'], runs: readonly string[]): AsyncGenerator<HomeCheck> {
  if (runs.length === 0) return;
  const left = new Set(await journal.unfinished());
  const problems = runs.map((id) => ({
    kind: 'run-taken-up',
    subject: id,
    message: `Run ${id} had been cut short. ${left.has(id) ? 'Not all that it had begun could be finished' : 'What it had begun is finished'} now.`,
    hint: `See what became of it with: coppice runs show ${id}`,
  }));
  yield { name: 'what had been cut short', looked: runs.length, problems };
}

/** Compares each transcript with what the database says it holds. */
async function checkTranscripts(parts: HomeParts, { signal, onProgress }: CheckOptions): Promise<HomeCheck> {
  const problems: Problem[] = [];
  const onTheirWay = await sessionsOnTheirWay(parts);
  let looked = 0;
  for await (const session of parts.store.list({ sort: 'stored' })) {
    signal?.throwIfAborted();
    if (session.transcriptBytes === 0) continue;
    looked += 1;
    onProgress?.(looked);
    const found = await transcriptProblems(parts.layout.transcript(session.id), session);
    problems.push(...found.map((problem) => (onTheirWay.has(session.id) ? inARun(problem) : problem)));
  }
  return { name: 'transcripts', looked, problems };
}

/** Sessions that a run is at, or was at when it was cut short: their files move before their rows change. */
async function sessionsOnTheirWay({ store: { journal } }: HomeParts): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const runId of await journal.unfinished()) {
    for await (const { item } of journal.items(runId, ['intended', 'undoing', 'purging'])) ids.add(item.id);
  }
  return ids;
}

function inARun(problem: Problem): Problem {
  if (problem.kind !== 'transcript-missing') return problem;
  const message = `The transcript of ${problem.subject} is in the trash of a run that is at work, or was cut short. The next run settles it.`;
  return { kind: 'unfinished-run', subject: problem.subject, message };
}

async function checkFiles({ layout, store }: HomeParts, { signal, onProgress }: CheckOptions): Promise<HomeCheck> {
  const known = new Set<string>();
  for await (const { id } of store.list({ sort: 'stored' })) known.add(layout.sessionPath(id));
  const problems: Problem[] = [];
  let looked = 0;
  for (const file of nativeFiles(layout)) {
    signal?.throwIfAborted();
    if (file.kind === 'folder') continue;
    looked += 1;
    onProgress?.(looked);
    const problem = fileProblem(file, known);
    if (problem !== undefined) problems.push(problem);
  }
  return { name: 'files', looked, problems };
}

function fileProblem(file: NativeFile, known: ReadonlySet<string>): Problem | undefined {
  const subject = `sessions/${file.path}`;
  switch (file.kind) {
    case 'unreadable':
      return { kind: 'unreadable', subject, message: `${subject} cannot be read: ${file.error}.` };
    case 'session-dir':
      return known.has(file.path)
        ? undefined
        : { kind: 'orphan', subject, message: `${subject} belongs to no session that the database knows.` };
    case 'unknown':
      return {
        kind: 'unknown-file',
        subject,
        message: `${subject} is not a file that Coppice writes. It is left alone.`,
      };
    case 'temporary':
      return { kind: 'debris', subject, message: `${subject} was left behind by a write that was interrupted.` };
    case 'unacknowledged':
      return {
        kind: 'unacknowledged',
        subject,
        message: `${subject} holds messages of a process that died before they were stored.`,
        hint: 'Read it, and remove it when it is no longer needed.',
      };
    case 'folder':
    case 'transcript':
    case 'dump':
      return undefined;
    default:
      return file satisfies never;
  }
}
