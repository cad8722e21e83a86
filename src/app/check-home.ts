import type { Problem } from '../core/problem.ts';
import { type NativeFile, nativeFiles } from '../homes/native/native-files.ts';
import { transcriptProblems } from '../homes/native/transcript-check.ts';
import { checkArchive } from './check-archive.ts';
import { leftoverProblems } from './check-leftovers.ts';
import { permissionProblems } from './check-permissions.ts';
import type { HomeParts } from './home-parts.ts';

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

/** Looks at everything a home holds. Changes nothing, and says of each part that it was looked at. */
export async function* checkHome(parts: HomeParts, options: CheckOptions = {}): AsyncGenerator<HomeCheck> {
  yield { name: 'permissions', problems: permissionProblems(parts.layout) };
  for await (const check of parts.store.check()) {
    options.signal?.throwIfAborted();
    yield check;
    // Files are compared with what the database says, so they wait until it can be read.
    if (check.problems.some(({ kind }) => kind === 'database-damaged')) return;
  }
  yield { name: 'leftovers', problems: await leftoverProblems(parts) };
  const known = new Set<string>();
  yield await checkTranscripts(parts, known, options);
  yield checkFiles(parts, known, options);
  yield await checkArchive(parts, options);
}

/** Compares each transcript with what the database says it holds, and remembers which directories belong to sessions. */
async function checkTranscripts(
  parts: HomeParts,
  known: Set<string>,
  { signal, onProgress }: CheckOptions,
): Promise<HomeCheck> {
  const problems: Problem[] = [];
  let looked = 0;
  for await (const session of parts.store.list({ sort: 'stored' })) {
    signal?.throwIfAborted();
    known.add(parts.layout.sessionPath(session.id));
    if (session.transcriptBytes === 0) continue;
    looked += 1;
    onProgress?.(looked);
    problems.push(...(await transcriptProblems(parts.layout.transcript(session.id), session)));
  }
  return { name: 'transcripts', looked, problems };
}

function checkFiles(
  { layout }: HomeParts,
  known: ReadonlySet<string>,
  { signal, onProgress }: CheckOptions,
): HomeCheck {
  const problems: Problem[] = [];
  let looked = 0;
  for (const file of nativeFiles(layout)) {
    signal?.throwIfAborted();
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
    case 'transcript':
    case 'dump':
      return undefined;
    default:
      return file satisfies never;
  }
}
