import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HOUR_MS } from '../../core/time.ts';
import { GitError, type GitPlace, runGit, startGit } from './run-git.ts';

export interface CopyRequest {
  readonly from: GitPlace;
  readonly to: GitPlace;
  /** Commits or trees. What stands in them is copied, what came before a commit is not. */
  readonly ids: readonly string[];
  /** Nothing may drop the new pack until its `.keep` file is removed, which the caller does. */
  readonly keep?: boolean;
}

/**
 * Copies objects of one repository into another as one pack, and returns its name. The first is only read. Fails when anything
 * is missing, and then leaves nothing that counts.
 */
export async function copyGitObjects({ from, to, ids, keep = false }: CopyRequest): Promise<string> {
  const { stdout: lines } = await runGit(from, ['rev-list', '--objects', '--no-walk=unsorted', '--stdin'], {
    input: `${ids.join('\n')}\n`,
  });
  const reader = startGit(from, PACK, { timeoutMs: HOUR_MS });
  const writer = startGit(to, ['index-pack', '--stdin', ...(keep ? [`--keep=${KEEP_REASON}`] : [])], {
    timeoutMs: HOUR_MS,
  });
  const [read, written, said] = await Promise.all([
    once(reader, 'close') as Promise<[number | null]>,
    once(writer, 'close') as Promise<[number | null]>,
    textOf(writer.stdout),
    reader.stdout && writer.stdin && pipeline(reader.stdout, writer.stdin).catch(ENDED_EARLY),
    reader.stdin && pipeline(Readable.from([lines]), reader.stdin).catch(ENDED_EARLY),
    textOf(reader.stderr),
    textOf(writer.stderr),
  ]);
  const [, name] = /^(?:pack|keep)\t([0-9a-f]{40})/.exec(said) ?? [];
  if (read[0] === 0 && written[0] === 0 && name !== undefined) return `pack-${name}`;
  throw new GitError(PACK, { code: read[0] ?? written[0] ?? undefined, stderr: 'the objects could not be copied' });
}

/** What stands in the `.keep` file of such a pack. */
export const KEEP_REASON = 'coppice';

const PACK = ['pack-objects', '--stdout', '--quiet', '--threads=1', '--window-memory=64m', '--delta-base-offset'];

/** Which of the two gave up is told by their exit codes. */
const ENDED_EARLY = () => undefined;

async function textOf(stream: Readable | null): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream ?? []) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
