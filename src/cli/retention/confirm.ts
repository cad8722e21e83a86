import { Failure } from '../../core/failure.ts';
import { formatCount } from '../print/format.ts';
import type { Io } from '../io.ts';

export interface Confirmation {
  /** What is about to happen, as a question. */
  readonly question: string;
  readonly yes: boolean | undefined;
  readonly json: boolean;
  /** How to see it first, for someone who cannot be asked: `add --dry-run`, or `run:` and a command. */
  readonly look: string;
  /** For what cannot be undone: the number to type instead of a yes. */
  readonly typed?: number;
}

/** Returns when the person agrees, and fails otherwise. Without a terminal nothing is asked: only `--yes` agrees. */
export async function confirm(io: Io, { question, yes, json, look, typed }: Confirmation): Promise<void> {
  if (yes === true) return;
  if (!canAsk(io, json)) {
    throw new Failure('refused', 'Nothing was changed: this needs a yes, and nobody can be asked here.', {
      hint: `To go ahead, add --yes. To look first, ${look}`,
    });
  }
  const how = typed === undefined ? '[y/N]' : `Type ${typed} to confirm:`;
  const answer = (await io.question(`${question} ${how} `)).trim().toLowerCase();
  const agreed =
    typed === undefined ? ['y', 'yes'].includes(answer) : [String(typed), formatCount(typed)].includes(answer);
  if (agreed) return;
  const goOn = typed !== undefined && ['y', 'yes'].includes(answer);
  throw new Failure('refused', 'Nothing was changed.', {
    ...(goOn && { hint: `A yes is too quickly said here. To go ahead, type ${typed} when you are asked again.` }),
  });
}

/** Whether there is a person to ask. A program that reads JSON is none. */
export function canAsk({ stdinIsTerminal, err }: Io, json: boolean): boolean {
  return !json && stdinIsTerminal && err.isTerminal;
}
