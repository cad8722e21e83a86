import { expect } from 'vitest';
import type { ObjectStore } from '../../src/core/objects/object-store.ts';
import type { ArchiveObjects } from '../../src/keeping/archive/shelf/object-place.ts';
import { createFileObjects } from '../../src/objects/file/file-objects.ts';
import type { TestedHome } from '../../src/kit/homes/tested-home.ts';
import { collect } from './collect.ts';
import { tempDir } from './temp-dir.ts';

/** A folder of its own for the archived sessions of one home. */
export function folderObjects(): ArchiveObjects {
  const store = createFileObjects(tempDir());
  return { cacheBytes: 1024 * 1024, open: () => Promise.resolve(store) };
}

/** A home whose archived sessions go there, which leaves nothing there but its mark once none is archived any more. */
export async function leavingNothing(
  objects: ArchiveObjects,
  make: (objects: ArchiveObjects) => Promise<TestedHome>,
): Promise<TestedHome> {
  const home = await make(objects);
  return {
    ...home,
    async problems() {
      const { archives } = await home.driver.scan();
      const left = archives.length > 0 ? [] : await bundlesIn(await objects.open());
      return [...(await home.problems()), ...left.map((key) => `${key} is left`)];
    },
  };
}

/** What is there beside the marks of homes, things that were only begun included. */
export async function bundlesIn(store: ObjectStore): Promise<string[]> {
  const keys = (await collect(store.list(''))).map(({ key }) => key);
  return [...keys, ...(await collect(store.unfinished('')))].filter((key) => !key.endsWith('/home.json'));
}

/** Every bundle has its manifest, and every manifest its bundle. */
export async function expectPaired(store: ObjectStore): Promise<void> {
  const keys = await bundlesIn(store);
  const of = (part: string, end: string) =>
    keys.filter((key) => key.includes(part)).map((key) => key.replace(part, '').replace(end, ''));
  expect(of('/manifests/', '.json')).toEqual(of('/bundles/', '.tar'));
}
