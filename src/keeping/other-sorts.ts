import type { OtherFiles } from './file-home/file-agent.ts';
import type { TreeFile } from './file-home/home-tree.ts';

/** A sort of files that belong to no session. */
export interface OtherSort {
  readonly name: string;
  /** Its agent never cuts it back. */
  readonly unbounded: boolean;
}

/** What an agent is not known to write. */
export const UNKNOWN: OtherSort = { name: 'unknown', unbounded: false };

/** Puts files together by their sorts. */
export function sumOthers(): { add(sort: OtherSort, files: readonly TreeFile[]): void; sums(): OtherFiles[] } {
  const byName = new Map<string, OtherFiles & { readonly files: TreeFile[] }>();
  return {
    add({ name, unbounded }, files) {
      const found = byName.get(name) ?? { name, unbounded, files: [] };
      byName.set(name, found);
      for (const file of files) found.files.push(file);
    },
    sums: () => [...byName.values()],
  };
}
