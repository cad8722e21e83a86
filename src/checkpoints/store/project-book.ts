import { readdirSync, readFileSync } from 'node:fs';
import { isJsonObject } from '../../core/json.ts';
import type { EpochMs } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { writeBelow } from '../../platform/files/write-below.ts';
import type { StoreLayout } from './store-layout.ts';

/** What the store remembers of a project beside its checkpoints: `store/projects/<id>.json`. */
export interface ProjectRecord {
  readonly workdir: string;
  readonly createdAt: EpochMs;
  readonly lastTakenAt: EpochMs;
  /** The working directory and the one above it, as they were when the last checkpoint was taken. */
  readonly self: FileId;
  readonly parent: FileId;
  readonly index: IndexRecord;
}

/** Which file something is. Texts, because the numbers may be larger than JSON can hold. */
export interface FileId {
  readonly dev: string;
  readonly ino: string;
}

/** What the project's index was left as. An index that is not exactly this is not trusted. */
export interface IndexRecord {
  /** The checkpoint whose tree it holds. */
  readonly id: string;
  readonly tree: string;
  /** The message of its commit, so that a take that finds nothing changed need not ask git for it. */
  readonly text: string;
  readonly stamp: string;
  /** The rules of what is left out, in short form. */
  readonly rules: string;
}

const VERSION = 1;

export function writeProject(layout: StoreLayout, id: string, record: ProjectRecord): void {
  writeBelow(layout.home, layout.project(id), `${JSON.stringify({ version: VERSION, ...record })}\n`);
}

/** `unreadable` is a record that is damaged, of another version or not ours to read: it says nothing about its project. */
export function readProject(layout: StoreLayout, id: string): ProjectRecord | 'none' | 'unreadable' {
  try {
    const data: unknown = JSON.parse(readFileSync(layout.project(id), 'utf8'));
    return isRecord(data) ? data : 'unreadable';
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'none' : 'unreadable';
  }
}

/** Every project that has a record, readable or not. */
export function projectIds(layout: StoreLayout): string[] {
  return readdirSync(layout.projects)
    .filter((name) => /^[0-9a-f]{16}\.json$/.test(name))
    .map((name) => name.slice(0, -'.json'.length));
}

function isRecord(data: unknown): data is ProjectRecord {
  if (!isJsonObject(data) || data['version'] !== VERSION || typeof data['workdir'] !== 'string') return false;
  const times = Number.isSafeInteger(data['createdAt']) && Number.isSafeInteger(data['lastTakenAt']);
  return times && isFileId(data['self']) && isFileId(data['parent']) && isIndex(data['index']);
}

function isFileId(data: unknown): data is FileId {
  return isJsonObject(data) && typeof data['dev'] === 'string' && typeof data['ino'] === 'string';
}

function isIndex(data: unknown): data is IndexRecord {
  return isJsonObject(data) && ['id', 'tree', 'text', 'stamp', 'rules'].every((key) => typeof data[key] === 'string');
}
