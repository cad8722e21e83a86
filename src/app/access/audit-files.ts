import { closeSync, fstatSync, readSync, rmSync } from 'node:fs';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { errorCode } from '../../platform/error-code.ts';
import { appendDurably } from '../../platform/files/append-durably.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { openRegular, readRegular } from '../../platform/files/open-regular.ts';
import { syncDir } from '../../platform/files/private-files.ts';

// The audit log is two rows of files, so that what a program adds all day pushes out none of the removals. Each file is named by the
// time at which it was begun, and is only ever added to. Several processes may write: each adds whole lines to the newest file.

/** `changes` has what a person would ask about later, `routine` has appends, summed up, and what was refused. */
export type AuditRow = 'changes' | 'routine';

const FILE_BYTES = 1024 * 1024;
const FILE_DAYS = 30;
/** All files of a row together, but for what the last write adds. */
const ROW_BYTES: Readonly<Record<AuditRow, number>> = { changes: 8 * FILE_BYTES, routine: 4 * FILE_BYTES };
const KEPT_DAYS = 400;

/** Adds lines. On the disk when it returns; a line that somebody left half written before them stays apart. */
export function appendAudit(
  homePath: string,
  row: AuditRow,
  { lines, now }: { readonly lines: readonly string[]; readonly now: EpochMs },
): void {
  if (lines.length === 0) return;
  const { audit } = nativeLayout(homePath);
  using folder = openBelow(homePath, audit, { create: true });
  const last = filesOf(folder, row).at(-1);
  const isOver = last === undefined || last.sizeBytes >= FILE_BYTES || now - last.begunAt > FILE_DAYS * DAY_MS;
  const name = isOver ? `${row}-${Math.max(now, (last?.begunAt ?? 0) + 1)}.jsonl` : last.name;
  const path = folder.at(name);
  const before = isOver || endsWithLine(path) ? '' : '\n';
  appendDurably(path, `${before}${lines.join('\n')}\n`);
  if (!isOver) return;
  syncDir(audit);
  dropOldest(folder, row);
}

/** Every line there is, of both rows. What was cut off is one of them. */
export function readAudit(homePath: string): string[] {
  using folder = openAudit(homePath);
  if (folder === undefined) return [];
  const rows = [...filesOf(folder, 'changes'), ...filesOf(folder, 'routine')];
  return rows.flatMap(({ name }) => readIfThere(folder.at(name)).split('\n'));
}

/** Removes files that were last written to longer ago than records are kept. For a clock that is believed. */
export function dropExpiredAudit(homePath: string, now: EpochMs): void {
  using folder = openAudit(homePath);
  if (folder === undefined) return;
  for (const row of ['changes', 'routine'] as const) {
    const files = filesOf(folder, row);
    for (const [index, { name }] of files.entries()) {
      // A file ends where the next one begins. The last one is being written to.
      const endedAt = files[index + 1]?.begunAt;
      if (endedAt !== undefined && now - endedAt > KEPT_DAYS * DAY_MS) rmSync(folder.at(name), { force: true });
    }
  }
}

interface AuditFile {
  readonly name: string;
  readonly begunAt: EpochMs;
  readonly sizeBytes: number;
}

/** The oldest first. Files of others are left alone. */
function filesOf(folder: DirectoryHandle, row: AuditRow): AuditFile[] {
  const found = folder.names().flatMap((name): AuditFile[] => {
    const [, of, begunAt] = /^(changes|routine)-(\d{1,15})\.jsonl$/.exec(name) ?? [];
    const stat = of === row ? folder.look(name) : undefined;
    return stat?.isFile() === true ? [{ name, begunAt: Number(begunAt), sizeBytes: stat.size }] : [];
  });
  return found.toSorted((a, b) => a.begunAt - b.begunAt);
}

function dropOldest(folder: DirectoryHandle, row: AuditRow): void {
  const files = filesOf(folder, row);
  let left = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  // Room for the file that was just begun.
  for (const { name, sizeBytes } of files.slice(0, -1)) {
    if (left <= ROW_BYTES[row] - FILE_BYTES) return;
    rmSync(folder.at(name), { force: true });
    left -= sizeBytes;
  }
}

/** Undefined where nothing was recorded, or something else is in the place of the folder. */
function openAudit(homePath: string): DirectoryHandle | undefined {
  try {
    return openBelow(homePath, nativeLayout(homePath).audit);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function readIfThere(path: string): string {
  try {
    return readRegular(path).toString();
  } catch (error) {
    // Dropped in between.
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** A process that was killed may have left a line without its end. */
function endsWithLine(path: string): boolean {
  const handle = openRegular(path);
  try {
    const { size } = fstatSync(handle);
    const last = Buffer.alloc(1);
    return size === 0 || (readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
  } finally {
    closeSync(handle);
  }
}
