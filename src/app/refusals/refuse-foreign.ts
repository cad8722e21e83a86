import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { OpenedHome } from '../../homes/home-kind.ts';

interface Parts {
  readonly foreign?: Pick<OpenedHome, 'agent' | 'path' | 'reasons'> | undefined;
}

/** Stops what only makes sense where Coppice itself writes the sessions. */
export function refuseForeign({ foreign }: Parts): void {
  if (foreign === undefined) return;
  throw new Failure('usage', `${foreign.path} is a home of ${foreign.agent}. Coppice only reads it and cuts it back.`, {
    hint: `Do this with ${foreign.agent}, or name a home of Coppice with --home DIR.`,
  });
}

/** Stops what only the agent itself can do with its checkpoints. */
export function refuseForeignCheckpoints({ foreign }: Parts): void {
  if (foreign === undefined) return;
  const message = `The checkpoints in ${foreign.path} are taken by ${foreign.agent}. Coppice compares, restores and cuts them back.`;
  throw new Failure('usage', message, { hint: 'See what there is with: coppice checkpoints list --all' });
}

/** What a person should read first about a home that is only shown, by its shape or by what a look at it met. */
export function foreignNotes({ foreign }: Parts, found: readonly Problem[] = []): string[] {
  const { reasons = [] } = foreign ?? {};
  const why = reasons.length > 0 || foreign === undefined ? reasons : found.filter(({ kind }) => kind === UNREADABLE);
  return why.map(({ message }) => `This home is shown and not changed. ${message}`);
}

const UNREADABLE = 'database-unreadable';
