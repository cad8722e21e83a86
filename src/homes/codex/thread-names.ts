import { join } from 'node:path';
import { isJsonObject } from '../../core/json.ts';
import { textOf } from '../../core/sessions/message-parts.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import type { HomeTree } from '../../keeping/file-home/home-tree.ts';

/** Where Codex writes the names that people give to threads, one line for each time, the last one counts. */
export const NAMES = 'session_index.jsonl';

/** The names in a home, read once for as long as they do not change. */
export interface ThreadNames {
  /** Comes with each look at the home. */
  see(tree: HomeTree): void;
  readonly of: (thread: string) => string | undefined;
}

export function createThreadNames(): ThreadNames {
  let seen = '';
  let names: ReadonlyMap<string, string> = new Map();
  return {
    see({ home, files }) {
      const file = files.get(NAMES);
      const mark = `${file?.sizeBytes}:${file?.modifiedAt}`;
      if (mark === seen) return;
      seen = mark;
      names = file === undefined ? new Map() : namesIn(join(home, NAMES));
    },
    of: (thread) => names.get(thread),
  };
}

function namesIn(path: string): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = readRegular(path).toString();
  } catch (error) {
    // Without a name a thread is called by its first prompt.
    if (errorCode(error) === undefined) throw error;
    return new Map();
  }
  const names = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [id, name] = nameIn(line);
    if (id !== undefined && name !== undefined) names.set(id, name);
  }
  return names;
}

function nameIn(line: string): readonly (string | undefined)[] {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? [textOf(value['id']), textOf(value['thread_name'])] : [];
  } catch {
    return [];
  }
}
