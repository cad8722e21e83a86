import { Failure } from '../../core/failure.ts';
import type { ItemOutcome, RunItem } from '../../core/run.ts';
import { errorCode } from '../../platform/error-code.ts';

export function done({ number }: RunItem): ItemOutcome {
  return { number, status: 'done' };
}

export function skip({ number }: RunItem, detail: string): ItemOutcome {
  return { number, status: 'skipped', detail };
}

/** What the files of one item meet is an outcome and does not stop the others. A bug does. */
export function attempt(item: RunItem, act: () => string | undefined | void): ItemOutcome {
  try {
    const detail = act();
    return detail === undefined ? done(item) : skip(item, detail);
  } catch (error) {
    if (error instanceof Failure) return skip(item, error.message);
    const code = errorCode(error);
    if (code === undefined) throw error;
    return skip(item, `The file system refused it: ${code}.`);
  }
}

/** What was begun before has to be finished, so it stays as it is until that is possible. The rest is left alone. */
export function skipAll(items: readonly RunItem[], sentence: string, begun: boolean): ItemOutcome[] {
  if (!begun) return items.map((item) => skip(item, sentence));
  throw new Failure('locked', `An earlier run is not finished, and cannot be now. ${sentence}`, {
    hint: 'Nothing is lost. Run the same command again later.',
  });
}
