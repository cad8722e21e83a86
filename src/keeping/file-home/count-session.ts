import { join } from 'node:path';
import type { Message } from '../../core/sessions/message.ts';
import { addUsage, type ModelUsage, NO_USAGE, type Usage } from '../../core/sessions/session.ts';
import type { TranscriptFacts, TranscriptPiece, UsagePiece } from '../../core/sessions/transcript-format.ts';
import type { FoundSession } from './file-agent.ts';
import type { FileHomePlace } from './look-at-home.ts';
import { fileFingerprint } from './session-pieces.ts';

/** What only a reading of all of it tells. */
export interface SessionCount {
  readonly messageCount: number;
  readonly toolCallCount: number;
  readonly usage: Usage;
  readonly usageByModel: readonly ModelUsage[];
  /** As they stand at its end. */
  readonly facts?: TranscriptFacts;
}

/** Counts sessions, and remembers what it counted for as long as no file of them changes. */
export interface SessionCounter {
  count(session: FoundSession): Promise<SessionCount>;
  /** What was counted before and is still so. */
  known(session: FoundSession): SessionCount | undefined;
}

/**
 * `parentOf` finds the session that one came out of. A fork repeats the calls of that one, in which they count already.
 */
export function createCounter(
  place: FileHomePlace,
  parentOf: (session: FoundSession) => Promise<FoundSession | undefined>,
): SessionCounter {
  const counted = new Map<string, { readonly mark: string; readonly count: SessionCount }>();
  const known = (session: FoundSession) => {
    const before = counted.get(session.id);
    return before?.mark === fileFingerprint(session) ? before.count : undefined;
  };
  return {
    known,
    async count(session) {
      const before = known(session);
      if (before !== undefined) return before;
      const mark = fileFingerprint(session);
      const count = await countAll(place, session, await callsBefore(place, session, parentOf));
      counted.set(session.id, { mark, count });
      return count;
    },
  };
}

/** Everything that is told in the transcripts of a session, in their order. */
export async function* transcriptPieces(
  { home, agent }: FileHomePlace,
  { transcripts }: FoundSession,
  signal?: AbortSignal,
): AsyncGenerator<readonly TranscriptPiece[]> {
  const format = await agent.format();
  for (const { path, sizeBytes, modifiedAt } of transcripts) {
    for await (const { pieces } of format.read({ path: join(home, path), sizeBytes, modifiedAt }, signal)) yield pieces;
  }
}

/** Its messages, numbered from 1. */
export async function* transcriptMessages(
  place: FileHomePlace,
  session: FoundSession,
  startedAt: number,
): AsyncGenerator<Message> {
  let seq = 0;
  let at = startedAt;
  for await (const pieces of transcriptPieces(place, session)) {
    for (const piece of pieces) {
      if (piece.kind !== 'message') continue;
      seq += 1;
      at = piece.message.at ?? at;
      yield { ...piece.message, seq, at };
    }
  }
}

/** A chain of forks that is longer than this counts as if it began there. */
const MOST_FORKS = 64;

async function callsBefore(
  place: FileHomePlace,
  session: FoundSession,
  parentOf: (session: FoundSession) => Promise<FoundSession | undefined>,
): Promise<ReadonlySet<string>> {
  const calls = new Set<string>();
  const seen = new Set([session.id]);
  let parent = await parentOf(session);
  while (parent !== undefined && !seen.has(parent.id) && seen.size < MOST_FORKS) {
    seen.add(parent.id);
    for await (const pieces of transcriptPieces(place, parent)) noteCalls(pieces, calls);
    parent = await parentOf(parent);
  }
  return calls;
}

function noteCalls(pieces: readonly TranscriptPiece[], calls: Set<string>): void {
  for (const piece of pieces) if (piece.kind === 'usage') calls.add(piece.call);
}

async function countAll(
  place: FileHomePlace,
  session: FoundSession,
  before: ReadonlySet<string>,
): Promise<SessionCount> {
  let [messageCount, toolCallCount] = [0, 0];
  let facts: TranscriptFacts | undefined;
  const usage = sumUsage(before);
  for await (const pieces of transcriptPieces(place, session)) {
    for (const piece of pieces) {
      if (piece.kind === 'message') {
        messageCount += 1;
        toolCallCount += piece.message.toolCalls?.length ?? 0;
      } else if (piece.kind === 'usage') usage.add(piece);
      else if (piece.kind === 'end') facts = piece.facts;
    }
  }
  const usageByModel = usage.byModel();
  const sum = usageByModel.reduce<Usage>(addUsage, NO_USAGE);
  return { messageCount, toolCallCount, usage: sum, usageByModel, ...(facts !== undefined && { facts }) };
}

function sumUsage(before: ReadonlySet<string>) {
  const counted = new Set<string>();
  const models = new Map<string, ModelUsage>();
  return {
    add({ call, report }: UsagePiece): void {
      if (before.has(call) || counted.has(call)) return;
      counted.add(call);
      const { model } = report;
      models.set(model, { model, ...addUsage(models.get(model) ?? NO_USAGE, { ...NO_USAGE, ...report }) });
    },
    byModel: (): readonly ModelUsage[] => [...models.values()],
  };
}
