import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { SearchGaps } from '../../src/app/search/search-gaps.ts';
import { openHome } from '../../src/app/open-home.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { jsonLines } from './file-home-scene.ts';
import { tempDir } from './temp-dir.ts';

export const SEARCH_NOW = Date.parse('2026-12-15T12:00:00Z');
const DAY = 86_400_000;

/** The id of the session with a number. */
export function sessionId(number: number): string {
  return `01a1de38-c740-760c-b14e-${String(number).padStart(12, '0')}`;
}

/** One line of pi in which somebody says something. */
export function saidLine(text: string, role = 'user', at = SEARCH_NOW - 9 * DAY): JsonObject {
  const message = { role, content: [{ type: 'text', text }], ...(role === 'assistant' && { model: 'm' }) };
  return { type: 'message', id: 'p', timestamp: new Date(at).toISOString(), message };
}

/** A person with an empty home of pi, and one of Coppice where its index is. */
export function searchDesk() {
  const root = tempDir();
  const pi = join(root, '.pi', 'agent');
  const own = join(root, 'own');
  mkdirSync(join(pi, 'sessions'), { recursive: true });
  const env = { PI_CODING_AGENT_DIR: pi, COPPICE_HOME: own };
  let now = SEARCH_NOW;
  const open = () => openHome({ path: pi, env, clock: { now: () => (now += 1000) } });
  const pathOf = (number: number) => join(pi, `sessions/--work--/2026-12-01T00-00-00-000Z_${sessionId(number)}.jsonl`);
  let written = 0;
  /** Every write has a time of its own, so that none looks like the one before it. */
  const stamp = (path: string) => {
    const at = (SEARCH_NOW - 8 * DAY) / 1000 + (written += 1);
    utimesSync(path, at, at);
  };
  return {
    root,
    pi,
    own,
    env,
    open,
    pathOf,
    index: join(own, 'search.db'),
    write: (number: number, texts: readonly string[]) => {
      const header = {
        type: 'session',
        version: 3,
        id: sessionId(number),
        timestamp: saidLine('')['timestamp'],
        cwd: '/w',
      };
      const path = pathOf(number);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, jsonLines([header, ...texts.map((text) => saidLine(text))]));
      stamp(path);
    },
    append: (number: number, text: string) => {
      appendFileSync(pathOf(number), jsonLines([saidLine(text)]));
      stamp(pathOf(number));
    },
    put: (number: number, text: string) => {
      mkdirSync(dirname(pathOf(number)), { recursive: true });
      writeFileSync(pathOf(number), text);
      stamp(pathOf(number));
    },
    remove: (number: number) => rmSync(pathOf(number)),
    /** The numbers of the sessions that a search finds, in order. */
    find: async (text: string, limit = 100): Promise<number[]> => {
      await using home = await open();
      return (await home.sessions.search({ text, limit })).map(({ session }) => Number(session.id.slice(-12)));
    },
    gaps: async (until = Number.POSITIVE_INFINITY): Promise<SearchGaps | undefined> => {
      await using home = await open();
      let told: SearchGaps | undefined;
      await home.sessions.search({ text: 'x' }, { until, onGaps: (gaps) => void (told = gaps) });
      return told;
    },
    /** Whether a word can be read in any file of Coppice. */
    isAnywhere: (word: string): boolean => {
      const places = [own, join(pi, '.coppice')].filter((place) => existsSync(place));
      return places.some((place) =>
        readdirSync(place, { recursive: true, encoding: 'utf8', withFileTypes: true }).some(
          (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(word),
        ),
      );
    },
  };
}

export type SearchDesk = ReturnType<typeof searchDesk>;
