import { outcomeDocument } from '../app/documents/run-document.ts';
import type { Outcome } from '../core/retention/run.ts';
import { said } from './answer-lines.ts';

/** Keeps what a run tells about each item, and tells the client as it comes. */
export function gather(tell: (step: ReturnType<typeof outcomeDocument>) => Promise<void>) {
  const outcomes: Outcome[] = [];
  const onOutcome = (outcome: Outcome) => {
    outcomes.push(outcome);
    said(tell(outcomeDocument(outcome)));
  };
  return { outcomes, onOutcome };
}
