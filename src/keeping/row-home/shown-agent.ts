import type { FileAgent } from '../file-home/file-agent.ts';
import { othersByPath, type PathSort } from '../other-sorts.ts';
import type { RowAgent } from './row-agent.ts';

/** What is said of an agent of whose home nothing ever goes. */
export interface ShownAgent {
  readonly name: string;
  readonly agent: string;
  readonly rows: RowAgent;
  /** What else is in its home. */
  readonly sorts: readonly PathSort[];
}

/** An agent whose sessions are rows, and in whose home nothing goes by anybody's rules but its own. */
export function shownAgent({ name, agent, rows, sorts }: ShownAgent): FileAgent {
  return {
    name,
    agent,
    rows,
    format: () => Promise.reject(new Error(`${agent} keeps no transcripts that are read`)),
    sort: async ({ files }) => {
      return { sessions: [], strays: [], others: othersByPath(files.values(), sorts), problems: [], doubts: [] };
    },
    describe: async (_, { id }) => ({ id }),
    guard: async () => ({ obstacle: () => `Only ${agent} can remove it.`, [Symbol.dispose]: () => undefined }),
  };
}
