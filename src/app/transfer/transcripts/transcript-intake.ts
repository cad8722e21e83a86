import { nestedDeeper } from '../../../core/nested-deeper.ts';
import type { Problem } from '../../../core/problem.ts';
import type { JsonValue } from '../../../core/json.ts';
import type { NewMessage } from '../../../core/sessions/message.ts';
import type { ModelUsage } from '../../../core/sessions/session.ts';
import { addUsage, NO_USAGE } from '../../../core/sessions/session.ts';
import type { ImportedSession } from '../../../core/stores/import-store.ts';
import type {
  TranscriptFacts,
  TranscriptFile,
  TranscriptPiece,
  UsagePiece,
} from '../../../core/sessions/transcript-format.ts';
import { fitLine } from '../fit-line.ts';
import type { ImportPiece } from '../line-reader.ts';
import { MAX_LEVELS } from '../parse-line.ts';

/** Makes what a transcript says into what an import takes. */
export interface TranscriptIntake {
  take(pieces: readonly TranscriptPiece[]): readonly ImportPiece[];
}

export interface IntakeOptions {
  readonly file: TranscriptFile;
  /** The name of the format, which becomes the source. */
  readonly source: string;
  /** The calls that were counted before, in whatever file: each counts once. */
  readonly counted: Set<string>;
}

export function createIntake({ file, source, counted }: IntakeOptions): TranscriptIntake {
  let seq = 0;
  let usage = new Map<string, ModelUsage>();
  const one = (piece: TranscriptPiece): ImportPiece | undefined => {
    switch (piece.kind) {
      case 'begin':
        seq = 0;
        usage = new Map();
        return {
          kind: 'session',
          session: sessionOf(piece.facts, source, file),
          conflictHint: CONFLICT_HINT,
          isForeign: true,
        };
      case 'message':
        seq += 1;
        return isTooDeep(piece.message)
          ? { kind: 'problem', problem: tooDeep(file.path, seq) }
          : { kind: 'message', message: { ...piece.message, seq } };
      case 'usage':
        count(piece);
        break;
      case 'end':
        return {
          kind: 'finished',
          session: { ...sessionOf(piece.facts, source, file), usageByModel: [...usage.values()] },
        };
      case 'problem':
      case 'unknown':
        return piece;
      // What is brought in has sessions of its own for its parts.
      case 'part':
        break;
    }
    return undefined;
  };
  return { take: (pieces) => pieces.map(one).filter((piece) => piece !== undefined) };

  function count({ call, report }: UsagePiece): void {
    const key = `${source}:${call}`;
    if (counted.has(key)) return;
    counted.add(key);
    const model = fitLine(report.model) ?? 'unknown';
    const sum = addUsage(usage.get(model) ?? NO_USAGE, { ...NO_USAGE, ...report });
    usage.set(model, { ...sum, model });
  }
}

const CONFLICT_HINT =
  'To take the one in the file instead, remove the stored session first with: coppice sessions delete';

/** A transcript says nothing of how it ended, but nobody will go on writing to the copy. */
function sessionOf(facts: TranscriptFacts, source: string, file: TranscriptFile): ImportedSession {
  const fileAt = Math.max(0, Math.floor(file.modifiedAt));
  const lastActiveAt = facts.lastActiveAt ?? facts.startedAt ?? fileAt;
  const [title, model, workdir] = [fitLine(facts.title), fitLine(facts.model), fitLine(facts.workdir)];
  const { parentId, childKind } = facts;
  return {
    id: facts.id,
    source,
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
    ...(workdir !== undefined && { workdir }),
    ...(parentId !== undefined && childKind !== undefined && { parentId, childKind }),
    startedAt: facts.startedAt ?? lastActiveAt,
    lastActiveAt,
    endedAt: lastActiveAt,
    endReason: 'imported',
    pinned: false,
    usageByModel: [],
  };
}

/** What is nested deeper could be parsed but not written again. */
function isTooDeep({ content, toolCalls, metadata }: NewMessage): boolean {
  const values: JsonValue = [typeof content === 'string' ? '' : content, metadata ?? null];
  const given = (toolCalls ?? []).map((call) => call.arguments);
  return nestedDeeper(values, MAX_LEVELS) || nestedDeeper(given, MAX_LEVELS);
}

function tooDeep(path: string, seq: number): Problem {
  return {
    kind: 'unreadable-line',
    subject: path,
    message: `Message ${seq} of ${path} is nested too deeply and was left out.`,
  };
}
