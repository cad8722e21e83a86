import { Failure } from '../../core/failure.ts';
import { plural } from '../format.ts';

/** What a run could not empty stays in its trash. */
export function notAll(skipped: number, runId: string): Failure {
  return new Failure('partial', `${plural(skipped, 'item')} could not be removed for good.`, {
    hint: `${skipped === 1 ? 'It stays' : 'They stay'} in the trash. Find out why with: coppice runs show ${runId}`,
  });
}
