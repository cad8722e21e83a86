import { Failure } from '../../core/failure.ts';
import { plural } from '../format.ts';

/** What a run could not empty stays in its trash. */
export function notAll(skipped: number): Failure {
  return new Failure('partial', `${plural(skipped, 'item')} could not be removed for good.`, {
    hint: 'They stay in the trash. Find out why with: coppice doctor',
  });
}
