import { Failure } from '../../core/failure.ts';
import { plural } from '../print/format.ts';

/** What a run could not empty is in its trash until a later try succeeds: what was begun is gone on with by whoever comes next. */
export function notAll(skipped: number, runId: string): Failure {
  return new Failure('partial', `${plural(skipped, 'item')} could not be removed for good.`, {
    hint: `${skipped === 1 ? 'It is' : 'They are'} still in the trash, and the next command tries again. Find out why with: coppice runs show ${runId}`,
  });
}
