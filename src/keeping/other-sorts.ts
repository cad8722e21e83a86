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

/** A sort that is known by how paths look. */
export interface PathSort extends OtherSort {
  readonly fits: RegExp;
}

/** Files by the first sort that fits their path. What fits none is left out, and so it is unknown. */
export function othersByPath(files: Iterable<TreeFile>, sorts: readonly PathSort[]): readonly OtherFiles[] {
  const others = sumOthers();
  for (const file of files) {
    const sort = sorts.find(({ fits }) => fits.test(file.path));
    if (sort !== undefined) others.add(sort, [file]);
  }
  return others.sums();
}
