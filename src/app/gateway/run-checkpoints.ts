import { errorText } from '../../core/error-text.ts';
import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { HomeParts } from '../home-parts.ts';
import type { LiveGateway } from './live-gateway.ts';

/** What was saved of the working directory of a run: where it began, where it ended, and what went wrong with that. */
export interface RunCheckpoints {
  readonly before?: Checkpoint;
  /** The same as before when the run changed nothing. */
  readonly after?: Checkpoint;
  /** Sentences. */
  readonly problems: readonly string[];
}

export interface CheckpointParts extends Pick<HomeParts, 'config'> {
  readonly checkpoints: Pick<Checkpoints, 'take'>;
  readonly gateway: Pick<LiveGateway, 'events'>;
}

interface CheckpointedRun {
  readonly command: string;
  readonly cwd?: string;
  readonly checkpoints?: boolean;
  readonly signal?: AbortSignal;
  readonly killSignal?: AbortSignal;
}

/**
 * Saves the working directory before the work and after it, where that is wanted, with the limits and excludes of the
 * configuration. One that cannot be taken is said and stops nothing.
 */
export async function takeAround<Result>(
  parts: CheckpointParts,
  { run, sessionId }: { readonly run: CheckpointedRun; readonly sessionId: string },
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly checkpoints?: RunCheckpoints }> {
  if (!(run.checkpoints ?? parts.config.checkpoints.enabled)) return { result: await work() };
  const problems: string[] = [];
  const take = async (when: 'before' | 'after', signal: AbortSignal | undefined): Promise<Checkpoint | undefined> => {
    const request = { workdir: run.cwd ?? process.cwd(), sessionId, reason: `${when} ${run.command}` };
    try {
      const taken = await parts.checkpoints.take(request, { signal });
      if (taken.status !== 'refused') return taken.checkpoint;
      problems.push(taken.message);
    } catch (error) {
      problems.push(`No checkpoint was taken ${when} the run: ${errorText(error)}`);
    }
    parts.gateway.events.publish({ kind: 'warning', sessionId, message: problems.at(-1) ?? '' });
    return undefined;
  };
  const before = await take('before', run.signal);
  const result = await work();
  // Whoever stopped the run wants to know what it has changed; only who kills it does not wait.
  const after = await take('after', run.killSignal);
  return { result, checkpoints: { ...(before && { before }), ...(after && { after }), problems } };
}
