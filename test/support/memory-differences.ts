import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { collect } from './collect.ts';
import type { EngineHome } from './engine-home.ts';
import { bytesOf, type Dumps, type EngineMemory } from './engine-memory.ts';

/** Has the memory follow the journal of a home, and names what is then not as remembered: in numbers, or in whole. */
export async function memoryDifferences(memory: EngineMemory, at: EngineHome, whole: boolean): Promise<string[]> {
  const wrong = await followJournal(memory, at);
  const listed = new Map<string, string>();
  for await (const { id, messageCount, dumpBytes } of at.home.sessions.list())
    listed.set(id, inNumbers(messageCount, dumpBytes));
  for (const [id, { messages, dumps }] of memory.live) {
    const remembered = inNumbers(messages.length, bytesOf(dumps));
    if (listed.get(id) !== remembered) wrong.push(`${id} has ${listed.get(id)}, and should have ${remembered}`);
  }
  for (const id of listed.keys()) if (!memory.live.has(id)) wrong.push(`${id} should not be there`);
  return whole ? [...wrong, ...(await contentDifferences(memory, at))] : wrong;
}

async function followJournal(memory: EngineMemory, { engine: { journal } }: EngineHome): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id: run } of (await collect(journal.runs())).toReversed()) {
    for (const item of await collect(journal.items(run))) wrong.push(...memory.follow(run, item));
  }
  return wrong;
}

const inNumbers = (messages: number, dumpBytes: number) => `${messages} messages and ${dumpBytes} bytes of dumps`;

async function contentDifferences({ live }: EngineMemory, { home, parts }: EngineHome): Promise<string[]> {
  const wrong: string[] = [];
  for (const [id, { messages, dumps }] of live) {
    const stored = await collect((await home.sessions.open(id)).messages());
    if (JSON.stringify(stored.map(({ content }) => content)) !== JSON.stringify(messages))
      wrong.push(`${id}: other messages`);
    if (!isDeepStrictEqual(dumpsIn(parts.layout.dumps(id)), dumps)) wrong.push(`${id}: other dumps`);
  }
  return wrong;
}

function dumpsIn(directory: string): Dumps {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return new Map(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}
