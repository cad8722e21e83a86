import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { redactHeaders, redactJson, redactText, redactUrl } from '../../core/redact.ts';
import type { RequestDump } from '../../core/request-dump.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { makePrivateDir, writeFileAtomic } from '../../platform/private-files.ts';

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

/** Writes a dump into a session's dump directory and removes the oldest beyond the rules, never the new one. */
export function writeDump(
  directory: string,
  dump: RequestDump,
  { rules, now }: { rules: DumpRules; now: EpochMs },
): DumpWritten {
  makePrivateDir(directory);
  const name = dumpName(now);
  const path = join(directory, name);
  writeFileAtomic(path, `${JSON.stringify({ at: isoTime(now), ...redactDump(dump, rules) }, undefined, 2)}\n`);
  makeRoom(directory, name, { rules, now });
  return { path, totalBytes: totalBytes(directory) };
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

function makeRoom(directory: string, fresh: string, { rules, now }: { rules: DumpRules; now: EpochMs }): void {
  const older = dumpNames(directory).filter((name) => name !== fresh);
  const tooMany = older.length + 1 - rules.maxCount;
  for (const [index, name] of older.entries()) {
    if (index < tooMany || now - dumpedAt(name) > rules.maxAgeMs) removeIfThere(join(directory, name));
  }
}

function dumpNames(directory: string): string[] {
  return readdirSync(directory).filter(isDumpName).toSorted();
}

/** Another process may make room at the same time. */
function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function totalBytes(directory: string): number {
  let bytes = 0;
  for (const name of dumpNames(directory)) {
    try {
      bytes += lstatSync(join(directory, name)).size;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return bytes;
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
