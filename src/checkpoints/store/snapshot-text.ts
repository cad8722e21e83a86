import type { Checkpoint } from '../../core/retention/checkpoint.ts';

/** What the commit of a checkpoint says, beside its tree and its name. */
export type SnapshotFacts = Omit<Checkpoint, 'id' | 'tree' | 'pinned'>;

const VERSION = 1;

/** The message of a commit: the reason for people, then the facts as one line of JSON. */
export function snapshotText(facts: SnapshotFacts): string {
  const { reason, ...rest } = facts;
  return `${oneLine(reason)}\n\n${JSON.stringify({ version: VERSION, reason, ...rest })}\n`;
}

/** Reads such a message; `undefined` when it is not one that this version understands. */
export function readSnapshotText(text: string): SnapshotFacts | undefined {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  try {
    const data: unknown = JSON.parse(line);
    return isFacts(data) ? withoutVersion(data) : undefined;
  } catch {
    // Not JSON: a commit that something else wrote.
    return undefined;
  }
}

function isFacts(data: unknown): data is SnapshotFacts & { version: number } {
  if (typeof data !== 'object' || data === null) return false;
  const facts = data as Record<string, unknown>;
  const texts = ['projectId', 'workdir', 'reason'].every((key) => typeof facts[key] === 'string');
  const numbers = ['takenAt', 'fileCount', 'leftOutCount'].every((key) => Number.isSafeInteger(facts[key]));
  return facts['version'] === VERSION && texts && numbers && (facts['kind'] === 'taken' || facts['kind'] === 'safety');
}

function withoutVersion({ version: _, ...facts }: SnapshotFacts & { version: number }): SnapshotFacts {
  return facts;
}

function oneLine(reason: string): string {
  return (
    reason
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, 100) || 'checkpoint'
  );
}
