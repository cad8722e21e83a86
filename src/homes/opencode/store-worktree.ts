import { readBeginning } from '../../platform/transcripts/read-beginning.ts';

const CONFIG_BYTES = 16 * 1024;

/** The folder whose states a repository of snapshots holds, as its settings say; undefined where they do not. */
export function storeWorktree(config: string): string | undefined {
  const text = readBeginning(config, CONFIG_BYTES) ?? '';
  const [, core = ''] = /^\[core\][^\n]*\n([^[]*)/m.exec(text) ?? [];
  const [, folder] = /^\s*worktree\s*=\s*(\S.*?)\s*$/m.exec(core) ?? [];
  // What git had to put into quotes is read by git alone.
  return folder === undefined || folder.includes('"') || folder.includes('\\') ? undefined : folder;
}
