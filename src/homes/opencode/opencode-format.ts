import { basename } from 'node:path';
import type {
  FileHead,
  FileRole,
  TranscriptFile,
  TranscriptBatches,
  TranscriptFormat,
} from '../../core/sessions/transcript-format.ts';
import { readExported } from './read-exported.ts';

/** What opencode writes: its database, what its own `export` prints, and the folder of JSON files of older versions. */
export const opencodeFormat: TranscriptFormat = { name: 'opencode', title: 'opencode', recognise, read };

function recognise({ path, beginning }: FileHead): FileRole | undefined {
  const name = basename(path);
  if (isDatabase(name)) return beginning().startsWith('SQLite format 3\0') ? 'transcript' : undefined;
  if (/^opencode[^/]*\.db-(?:wal|shm)$/.test(name)) return 'beside';
  if (!name.endsWith('.json')) return undefined;
  if (isOldSession(path)) return 'transcript';
  if (/\/storage\/(?:message|part|session_diff|session|project|todo)\//.test(path)) return 'beside';
  return /^\s*\{\s*"info"\s*:\s*\{[^}]{0,2000}"(?:projectID|directory)"/.test(beginning()) ? 'transcript' : undefined;
}

async function* read({ path }: TranscriptFile, signal?: AbortSignal): TranscriptBatches {
  // The library of SQLite is loaded only for whom needs it.
  if (isDatabase(basename(path))) yield* (await import('./read-database.ts')).readDatabase(path, signal);
  else if (isOldSession(path)) yield* (await import('./read-storage.ts')).readStorage(path);
  else yield* readExported(path, signal);
}

function isDatabase(name: string): boolean {
  return /^opencode(?:-[\w.-]+)?\.db$/.test(name);
}

function isOldSession(path: string): boolean {
  return /\/storage\/session\/[^/]+\/ses_[^/]+\.json$/.test(path.replaceAll('\\', '/'));
}
