import type { ItemOutcome } from '../retention/run.ts';

/** A conversation to take back: what came after this message is hidden. */
export interface RewindRequest {
  readonly number: number;
  /** The session's id. */
  readonly id: string;
  readonly afterSeq: number;
}

/**
 * Takes a conversation back to an earlier message. Nothing is deleted: later messages are hidden from whoever reads the
 * conversation, found by search as before, and shown again by an undo. New messages go on with the next number.
 */
export interface SessionRewind {
  /** Hides the messages after one. Asked again for the same run, it changes nothing. */
  takeBack(run: string, request: RewindRequest): Promise<ItemOutcome>;
  /** Shows again what a run hid. Skips a conversation that has gone on since: two endings would stand in one. */
  bringBack(run: string, request: RewindRequest): Promise<ItemOutcome>;
}
