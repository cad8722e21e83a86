import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Message } from '../../src/core/sessions/message.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import { isoTime } from '../../src/core/time.ts';

/** Every way in which a transcript file is not exactly the session's header and messages. Empty when all is well. */
export async function transcriptDifferences(store: SessionStore, id: string, path: string): Promise<string[]> {
  const text = readFileSync(path, 'utf8');
  const differences: string[] = [];
  if (!text.endsWith('\n')) differences.push('the file does not end with a line break');
  const [header = '', ...lines] = text.split('\n').slice(0, -1);
  if (!isHeader(header, id)) differences.push(`the first line is not the header: ${header.slice(0, 80)}`);
  let index = 0;
  for await (const message of store.messages(id)) {
    const line = lines[index];
    if (!sameMessage(line, message)) differences.push(`line of seq ${message.seq}: ${line?.slice(0, 80) ?? 'missing'}`);
    index += 1;
  }
  if (lines.length > index) differences.push(`${lines.length - index} lines more than messages`);
  const facts = await store.get(id);
  if (facts?.transcriptBytes !== Buffer.byteLength(text)) {
    differences.push(`the store says ${facts?.transcriptBytes} bytes, the file has ${Buffer.byteLength(text)}`);
  }
  return differences;
}

function isHeader(line: string, id: string): boolean {
  const value = parse(line) as { coppice?: unknown; session?: unknown } | undefined;
  return value?.coppice === 'transcript' && value.session === id;
}

function sameMessage(line: string | undefined, message: Message): boolean {
  const { at, ...rest } = message;
  return line !== undefined && isDeepStrictEqual(parse(line), { ...rest, at: isoTime(at) });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
