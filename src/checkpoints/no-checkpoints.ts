import { Failure } from '../core/failure.ts';
import type { HomeCheckpoints } from './home-checkpoints.ts';

/** The checkpoints of a home whose agent takes none, or none that Coppice knows. */
export function noCheckpoints(agent: string): HomeCheckpoints {
  const refuse = async (): Promise<never> => {
    throw new Failure('not-found', `${agent} takes no checkpoints, so there are none in its home.`, {
      hint: 'Coppice takes checkpoints of a folder with: coppice checkpoints take',
    });
  };
  return {
    list: async () => [],
    projects: async () => [],
    show: refuse,
    diff: refuse,
    async *diffText() {
      yield await refuse();
    },
    restore: refuse,
    previewRestore: refuse,
    verify: async () => ({ checkpoints: 0, problems: [] }),
    check: async () => ({ looked: 0, problems: [] }),
    addTo: async (inventory) => inventory,
    knowsUse: true,
    legacy: () => [],
    workdirs: () => [],
    sharing: async () => ({ ownBytes: new Map(), sharedBytes: 0, indexBytes: 0 }),
    look: async () => undefined,
    isCrowded: async () => false,
    reclaim: async () => 0,
  };
}
