import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { redactHeaders, redactJson, redactText, redactUrl } from '../../core/redact.ts';
import type { RequestDump } from '../../core/sessions/request-dump.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { writeFileAtomic } from '../../platform/files/private-files.ts';
import type { NativeLayout } from './native-layout.ts';

export interface DumpRules {
  readonly maxCount: number;
  readonly maxAgeMs: number;
  /** Also look for secrets in bodies. Headers and addresses are always redacted. */
  readonly redactBodies: boolean;
}

export interface DumpWritten {
  readonly path: string;
  /** All dumps of the session together, after old ones made room. */
  readonly totalBytes: number;
}

export interface DumpWrite {
  readonly dump: RequestDump;
  readonly rules: DumpRules;
  readonly now: EpochMs;
}

/** Writes a dump into a session's dump directory and removes the oldest beyond the rules, never the new one; nothing behind a link. */
export function writeDump(
  layout: Pick<NativeLayout, 'root' | 'dumps'>,
  sessionId: string,
  { dump, rules, now }: DumpWrite,
): DumpWritten {
  using folder = openBelow(layout.root, layout.dumps(sessionId), { create: true });
  const name = dumpName(now);
  const text = JSON.stringify({ at: isoTime(now), ...redactDump(dump, rules) }, undefined, 2);
  writeFileAtomic(folder.at(name), `${text}\n`);
  makeRoom(folder, name, { rules, now });
  return { path: join(folder.path, name), totalBytes: totalBytes(folder) };
}

const DUMP_NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{8}\.json$/;

/** True for a name that `writeDump` gives. */
export function isDumpName(name: string): boolean {
  return DUMP_NAME.test(name);
}

/** Names sort by time; the random end keeps two dumps of one millisecond apart. */
function dumpName(now: EpochMs): string {
  return `${isoTime(now).replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}.json`;
}

function dumpedAt(name: string): EpochMs {
  return Date.parse(name.replace(DUMP_NAME, '$1-$2-$3T$4:$5:$6.$7Z'));
}

function makeRoom(folder: DirectoryHandle, fresh: string, { rules, now }: { rules: DumpRules; now: EpochMs }): void {
  const older = dumpNames(folder).filter((name) => name !== fresh);
  const tooMany = older.length + 1 - rules.maxCount;
  for (const [index, name] of older.entries()) {
    if (index < tooMany || now - dumpedAt(name) > rules.maxAgeMs) removeIfThere(folder.at(name));
  }
}

function dumpNames(folder: DirectoryHandle): string[] {
  return folder.names().filter(isDumpName).toSorted();
}

/** Another process may make room at the same time. */
function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function totalBytes(folder: DirectoryHandle): number {
  return dumpNames(folder).reduce((sum, name) => sum + (folder.look(name)?.size ?? 0), 0);
}

function redactDump(dump: RequestDump, { redactBodies }: DumpRules): RequestDump {
  const { url, headers, body, response, error } = dump;
  const bodyOf = (value: NonNullable<typeof body>) => (redactBodies ? redactJson(value) : value);
  return {
    ...dump,
    ...(url !== undefined && { url: redactUrl(url) }),
    ...(headers !== undefined && { headers: redactHeaders(headers) }),
    ...(body !== undefined && body !== null && { body: bodyOf(body) }),
    ...(error !== undefined && { error: redactText(error) }),
    ...(response !== undefined && {
      response: {
        ...response,
        ...(response.headers !== undefined && { headers: redactHeaders(response.headers) }),
        ...(response.body !== undefined && response.body !== null && { body: bodyOf(response.body) }),
      },
    }),
  };
}
