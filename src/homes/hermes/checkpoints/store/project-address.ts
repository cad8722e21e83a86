import { join } from 'node:path';
import type { RunItem } from '../../../../core/retention/run.ts';
import type { HermesProject } from './hermes-project.ts';

/** Where the snapshots of one project are. */
export interface ProjectAddress {
  /** Relative to the home. */
  readonly repository: string;
  readonly hash: string;
  readonly gitDir: string;
  /** Its ref in the store that projects share; undefined for a repository of its own. */
  readonly ref?: string;
}

/** As it stands in a plan: the fingerprint of a snapshot, which itself never changes. */
export function addressText({ repository, hash }: Pick<HermesProject, 'repository' | 'hash'>): string {
  return `${repository} ${hash}`;
}

/** What stands in a plan may have passed through a file: nothing but a place where Hermes has snapshots is accepted. */
function readAddress(home: string, text: string): ProjectAddress | undefined {
  const [, repository, own, hash] = ADDRESS.exec(text) ?? [];
  if (repository === undefined || hash === undefined) return undefined;
  const shared = own === undefined;
  if (!shared && own !== hash) return undefined;
  return { repository, hash, gitDir: join(home, repository), ...(shared && { ref: `refs/hermes/${hash}` }) };
}

const ADDRESS = /^(checkpoints\/(?:store|([0-9a-f]{16}))) ([0-9a-f]{16})$/;

/** The items of each project together. What has no address is left out. */
export function byProject(
  home: string,
  items: readonly RunItem[],
): ReadonlyMap<string, { readonly address: ProjectAddress; readonly items: readonly RunItem[] }> {
  const projects = new Map<string, { address: ProjectAddress; items: RunItem[] }>();
  for (const item of items) {
    const address = /^[0-9a-f]{40}$/.test(item.item.id) ? readAddress(home, item.fingerprint) : undefined;
    if (address === undefined) continue;
    const known = projects.get(item.fingerprint);
    if (known === undefined) projects.set(item.fingerprint, { address, items: [item] });
    else known.items.push(item);
  }
  return projects;
}
