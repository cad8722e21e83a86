import { hash } from 'node:crypto';
import type { EpochMs } from '../../core/time.ts';
import type { FoundSession } from './file-agent.ts';
import type { TreeFile } from './home-tree.ts';

/** A file or folder that moves as one. */
export interface SessionPiece {
  readonly path: string;
  readonly files: readonly TreeFile[];
  readonly role: 'transcript' | 'part' | 'spare';
  readonly secret: boolean;
  /** Its files may have other names, which are none of its business. */
  readonly linked?: boolean;
}

/** Everything of a session in the order in which it leaves: once the first transcript is gone, its agent sees it no more. */
export function piecesOf({ transcripts, parts }: FoundSession): readonly SessionPiece[] {
  return [
    ...transcripts.map((file): SessionPiece => {
      return { path: file.path, files: [file], role: 'transcript', secret: false };
    }),
    ...parts.map(({ path, files, sparable, secret, linked }): SessionPiece => {
      return { path, files, role: sparable ? 'spare' : 'part', secret: secret === true, linked: linked === true };
    }),
  ];
}

/** What a session takes on the disk, without its folders: its conversation, what may go alone, and the rest. */
export function pieceBytes(session: FoundSession): Record<SessionPiece['role'], number> {
  const sums = { transcript: 0, part: 0, spare: 0 };
  for (const { role, files } of piecesOf(session)) for (const file of files) sums[role] += file.diskBytes;
  return sums;
}

/**
 * All that a decision about a session rests on, as one text: every file of it by path, length and time, and whether it is pinned or
 * tagged. No word of it stands in the text, which is kept with the record of a run.
 */
export function fileFingerprint(session: FoundSession): string {
  const files = piecesOf(session).flatMap((piece) => piece.files);
  const { pinned = false, tags = [] } = session;
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return `[${files.length},${sizeBytes},${newestOf(files)},"${marksOf(files, [pinned, ...tags])}"]`;
}

/** The same of files that no session owns. */
export function strayFingerprint(files: readonly TreeFile[]): string {
  return `${newestOf(files)}:${marksOf(files, [])}`;
}

/** The newest time of change. */
export function newestOf(files: readonly TreeFile[]): EpochMs {
  return files.reduce((newest, { modifiedAt }) => Math.max(newest, modifiedAt), 0);
}

function marksOf(files: readonly TreeFile[], others: readonly unknown[]): string {
  const lines = files.map(({ path, sizeBytes, modifiedAt }) => [path, sizeBytes, modifiedAt]);
  return hash('sha256', JSON.stringify([lines.toSorted(byPath), others])).slice(0, 24);
}

function byPath([a = '']: readonly (string | number)[], [b = '']: readonly (string | number)[]): number {
  return a < b ? -1 : 1;
}
