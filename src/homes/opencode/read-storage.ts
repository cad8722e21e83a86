import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { objectOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';
import { errorCode } from '../../platform/error-code.ts';
import { opencodeSession } from './opencode-session.ts';

/** Reads a session of the older versions, in which each message and each part of one is a small file of its own. */
export async function* readStorage(path: string): TranscriptBatches {
  const storage = dirname(dirname(dirname(path)));
  const info = await readObject(path);
  if (info === undefined) return;
  const session = opencodeSession(info);
  const messages = await objectsIn(join(storage, 'message', basename(path, '.json')));
  const inOrder = messages.toSorted((a, b) => createdAt(a.value) - createdAt(b.value));
  if (inOrder.length > 0) yield { pieces: [{ kind: 'begin', facts: session.facts() }], offset: 0 };
  for (const { name, value } of inOrder) {
    const parts = await objectsIn(join(storage, 'part', basename(name, '.json')));
    const pieces = session.say(
      value,
      parts.map((part) => part.value),
    );
    yield { pieces, offset: 0 };
  }
  if (inOrder.length > 0) yield { pieces: [{ kind: 'end', facts: session.facts() }], offset: 0 };
}

function createdAt(message: JsonObject): number {
  return readTime(objectOf(message['time'])?.['created'] ?? null) ?? 0;
}

interface Named {
  readonly name: string;
  readonly value: JsonObject;
}

/** The objects in a folder, by name; ids grow with time. A folder that is not there holds none. */
async function objectsIn(folder: string): Promise<readonly Named[]> {
  const found: Named[] = [];
  for (const name of (await readdir(folder).catch(noneIfMissing)).toSorted()) {
    const value = name.endsWith('.json') ? await readObject(join(folder, name)) : undefined;
    if (value !== undefined) found.push({ name, value });
  }
  return found;
}

function noneIfMissing(error: unknown): string[] {
  if (errorCode(error) === 'ENOENT') return [];
  throw error;
}

async function readObject(path: string): Promise<JsonObject | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    // Written at this moment, or gone since: the session is read without it.
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
