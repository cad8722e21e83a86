import { copyFileSync, linkSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../core/json.ts';
import { writeFileAtomic } from '../../platform/private-files.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import { readTable, type TableLines } from './record-tables.ts';

/** Keeps the system prompt of each session that is taken: the last one to go takes the prompt out of the database. */
export interface PromptKeeper {
  /** Writes the prompt beside the record of a session. Durable once the folder is synced. */
  keep(place: string, hash: string): void;
}

/**
 * Many sessions share a few long prompts, so what one run takes is on the disk once, under a name for each session: any one of
 * them can still be purged or restored by itself.
 */
export function createPromptKeeper(hermes: HermesDatabase): PromptKeeper {
  const written = new Map<string, string>();
  return {
    keep(place, hash) {
      const path = join(place, PROMPT_NAME);
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
      const first = written.get(hash);
      if (first !== undefined) {
        linkOrCopy(first, path);
        return;
      }
      const prompt = readTable(hermes, { table: 'system_prompts', column: 'hash' }, hash);
      writeFileAtomic(
        path,
        `${JSON.stringify({ table: prompt.table, columns: prompt.columns })}\n${prompt.lines.join('\n')}\n`,
      );
      written.set(hash, path);
    },
  };
}

/** The prompt that was kept with a session. Undefined when it had none. */
export function readPrompt(place: string): TableLines | undefined {
  const path = join(place, PROMPT_NAME);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const [head = '', ...lines] = readFileSync(path, 'utf8').split('\n');
  const about: unknown = JSON.parse(head);
  if (!isJsonObject(about) || !Array.isArray(about['columns'])) throw new Error(`${path} cannot be read`);
  return {
    table: 'system_prompts',
    columns: about['columns'].map((column) => String(column)),
    lines: lines.filter((line) => line !== ''),
  };
}

const PROMPT_NAME = 'prompt.jsonl';

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Some file systems know no second names.
    copyFileSync(from, to);
  }
}
