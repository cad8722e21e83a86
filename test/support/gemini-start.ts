import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, type EpochMs } from '../../src/core/time.ts';

/**
 * What Gemini CLI 0.61 was seen to do in the folder of a project as soon as it is started there, with its default settings: chats in which
 * it finds no conversation go, and those older than thirty days, and with each all that end in the same eight characters.
 */
export function startGemini(home: string, project: string, now: EpochMs): void {
  const folder = join(home, 'tmp', project);
  const names = readdirSync(join(folder, 'chats')).filter((name) => /^session-.*\.jsonl$/.test(name));
  const going = names.filter((name) => {
    const usedAt = usedIn(join(folder, 'chats', name));
    return usedAt === undefined || usedAt < now - 30 * DAY_MS;
  });
  const short = (name: string) => name.slice(-'12345678.jsonl'.length);
  const ends = new Set(going.map(short));
  for (const name of names.filter((each) => ends.has(short(each)))) {
    const path = join(folder, 'chats', name);
    const id = idIn(path);
    rmSync(path);
    if (id === undefined) continue;
    const subagents = existsSync(join(folder, 'chats', id)) ? readdirSync(join(folder, 'chats', id)) : [];
    const ids = [id, ...subagents.map((each) => each.replace(/\.jsonl$/, ''))];
    for (const left of ids.flatMap((each) => [
      `chats/${each}`,
      `logs/session-${each}.jsonl`,
      `tool-outputs/session-${each}`,
      each,
    ]))
      rmSync(join(folder, left), { recursive: true, force: true });
  }
}

/** When somebody last said something in it; undefined where nobody did, or nothing can be read. */
function usedIn(path: string): EpochMs | undefined {
  const lines = linesIn(path);
  if (!lines.some(({ type }) => type === 'gemini')) return undefined;
  const times = lines.flatMap(
    (line) => line['lastUpdated'] ?? (line['$set'] as Line | undefined)?.['lastUpdated'] ?? [],
  );
  return Date.parse(times.at(-1) as string);
}

function idIn(path: string): string | undefined {
  return linesIn(path)[0]?.['sessionId'] as string | undefined;
}

type Line = Record<string, unknown>;

function linesIn(path: string): Line[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  } catch {
    return [];
  }
}
