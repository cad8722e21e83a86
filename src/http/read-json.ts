import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Failure } from '../core/failure.ts';
import type { JsonValue } from '../core/json.ts';
import { lookOverJson } from './look-over-json.ts';
import { type ErrorAnswer, refuse } from './refusal.ts';

/** A message may hold 10 MiB; quotes and line breaks take more room in JSON. */
const MAX_BODY_BYTES = 12 * 1024 * 1024;

/** The JSON in the body of a request and its bytes, or why it is not read. Nothing beyond the limit is ever kept. */
export async function readJson(request: IncomingMessage): Promise<{ value: JsonValue; bytes: Buffer } | ErrorAnswer> {
  if (!isJson(request.headers['content-type'] ?? '')) return WRONG_TYPE;
  if (!isPlain(request.headers['content-encoding'])) return PACKED;
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return TOO_LARGE;
  const bytes = await collect(request);
  return bytes === undefined ? TOO_LARGE : { value: parse(bytes), bytes };
}

function isJson(type: string): boolean {
  return type === 'application/json' || /^application\/json\s*(;|$)/i.test(type);
}

/** A body that was packed is not unpacked: how large it becomes is known only when it is too late. */
function isPlain(encoding = 'identity'): boolean {
  return encoding.toLowerCase() === 'identity';
}

function collect(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(undefined);
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.once('error', reject);
  });
}

function parse(bytes: Buffer): JsonValue {
  lookOverJson(bytes);
  return parseJson(bytes);
}

function parseJson(bytes: Buffer): JsonValue {
  try {
    // What is no UTF-8 would be stored as something else than was sent.
    if (isUtf8(bytes)) return JSON.parse(bytes.toString('utf8')) as JsonValue;
  } catch {
    // Said below, in our words.
  }
  throw new Failure('usage', 'The body is not valid JSON in UTF-8.', {
    hint: 'See what is expected: GET /openapi.json',
  });
}

const WRONG_TYPE = refuse(
  'wrong-type',
  'The body must be JSON.',
  'Send the header Content-Type: application/json, and {} when there is nothing to say.',
);
const PACKED = refuse('wrong-type', 'A packed body is not read.', 'Send it as it is, without Content-Encoding.');
const TOO_LARGE = refuse('too-large', 'The body is larger than 12 MiB.', 'Send messages in smaller batches.');
