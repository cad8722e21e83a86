import type { Verdict } from '../../../core/gateway/gateway.ts';
import type { OutputStream } from '../../../core/sessions/message.ts';
import type { RunEvent } from './run-event.ts';

/** Output as it is recorded. The texts of one stream, put together, are what the child wrote, where nothing was left out. */
export interface OutputChunk {
  readonly stream: OutputStream;
  readonly text: string;
  /** Bytes that were left out before this text. */
  readonly omittedBytes: number;
}

/**
 * Where a run is recorded and judged. Calls come in the order in which they are to be recorded, and one at a time until nothing of
 * the run is left to be stopped.
 */
export interface RunSink {
  /**
   * `stop` and `reset` stop the run: a process cannot change its session while it runs. A sink that can go on in a new session
   * does so and answers `ok`. What is rejected stops the run too, because limits can then no longer be kept.
   */
  event(event: RunEvent): Promise<Verdict>;
  output(chunk: OutputChunk): Promise<Verdict>;
  /** Asked again and again while the run goes on, also while it says nothing. What was printed since, recorded or not, is given. */
  check(since: { readonly printedBytes: number }): Promise<Verdict>;
}
