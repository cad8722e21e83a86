import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ImportOutcome, SessionOutcome } from '../../src/app/transfer/import-outcome.ts';
import { importSessions } from '../../src/app/transfer/import-sessions.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { collect } from './collect.ts';
import { tempDir } from './temp-dir.ts';

export const IMPORTED_AT = Date.UTC(2026, 0, 15, 12);

/** A store without transcripts, closed when the test is over. */
export async function openImportStore(): Promise<SessionStore> {
  const folder = tempDir();
  const opened = await openSqliteStore({
    path: join(folder, 'state.db'),
    scratchDir: folder,
    clock: { now: () => IMPORTED_AT },
    transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
  });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

export function importAll(into: SessionStore, ...paths: string[]): Promise<ImportOutcome[]> {
  return collect(importSessions(into, { paths }));
}

export async function outcomesOf(into: SessionStore, ...paths: string[]): Promise<SessionOutcome[]> {
  return (await importAll(into, ...paths)).filter((event): event is SessionOutcome => 'problems' in event);
}

export function importText(into: SessionStore, text: string): Promise<SessionOutcome[]> {
  return outcomesOf(into, writeInput(tempDir(), 'input.jsonl', text));
}

export async function statuses(into: SessionStore, text: string): Promise<string[]> {
  return (await importText(into, text)).map(({ status }) => status);
}

export function writeInput(dir: string, name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

export function jsonLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

export async function allIds(from: SessionStore): Promise<string[]> {
  return (await collect(from.list())).map(({ id }) => id);
}
