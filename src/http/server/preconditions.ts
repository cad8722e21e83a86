import type { IncomingMessage } from 'node:http';
import { Failure } from '../../core/failure.ts';
import { namesTag, tagOf } from '../send.ts';

export interface GuardedChange {
  readonly request: IncomingMessage;
  readonly path: string;
  /** What GET gives at the path now, as it is sent; undefined where there is no such thing. */
  readonly current: () => Promise<object | undefined>;
}

/**
 * Lets a client change only what it has seen: with `If-Match` a change is refused when what lies at its path has another tag by now.
 * Changes of one path go one after the other here, so that of two clients with the same tag one is refused. What other processes
 * of the home change meanwhile is not kept off: they do not ask this daemon.
 */
export class Preconditions {
  readonly #last = new Map<string, Promise<unknown>>();

  async carryOut<T>(change: GuardedChange, work: () => Promise<T>): Promise<T> {
    const { request, path } = change;
    const tag = request.headers['if-match'];
    if (tag === undefined && request.method !== 'PATCH' && request.method !== 'DELETE') return work();
    const before = this.#last.get(path);
    const turn = (async () => {
      await before?.catch(ignore);
      if (tag !== undefined) await refuseOther(tag, change);
      return await work();
    })();
    this.#last.set(path, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(path) === turn) this.#last.delete(path);
    }
  }
}

/** Whoever sent that one was told. */
function ignore(): void {}

async function refuseOther(tag: string, { current }: GuardedChange): Promise<void> {
  const document = await current();
  if (document === undefined) throw new Outdated('There is no document at this path that If-Match could name.');
  if (!namesTag(tag, tagOf(JSON.stringify(document)))) throw new Outdated('It was changed since. Nothing was done.');
}

/** Refused, as HTTP says it of a condition that does not hold. */
class Outdated extends Failure {
  constructor(message: string) {
    super('refused', message, { hint: 'GET it again, decide anew, and send its ETag as If-Match.' });
  }

  override get httpStatus(): number {
    return 412;
  }
}
