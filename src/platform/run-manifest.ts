import { join } from 'node:path';
import type { RunItem } from '../core/run.ts';
import { appendDurably } from './append-durably.ts';

/** What a run took, in its trash, for people who have only the files. */
export const MANIFEST = 'manifest.jsonl';

/** Writes down items that are about to be taken, one line each. */
export function addToManifest(trash: string, items: readonly RunItem[]): void {
  appendDurably(join(trash, MANIFEST), items.map((item) => `${lineOf(item)}\n`).join(''));
}

function lineOf({ number, item, action, reason }: RunItem): string {
  return JSON.stringify({ number, kind: item.kind, id: item.id, action, reason });
}
