import { basename, dirname, join } from 'node:path';
import { firstLines } from '../../core/sessions/first-lines.ts';
import { textOf } from '../../core/sessions/message-parts.ts';
import { readBeginning } from '../../platform/transcripts/read-beginning.ts';

/** The word for Codex, in settings and in what programs read. */
export const CODEX = 'codex';

/** The ids in the name of a rollout. Only one that began when the thread was taken back has an id of its own. */
export function rolloutName(path: string): { readonly thread: string; readonly rollout?: string } {
  const stem = basename(path).replace(/\.jsonl(?:\.zst)?$/, '');
  const [, thread, rollout] =
    /^rollout-[\dT-]+?-([0-9a-f]{8}-[0-9a-f-]{27})(?:_([0-9a-f]{8}-[0-9a-f-]{27}))?$/.exec(stem) ?? [];
  return { thread: thread ?? stem, ...(rollout !== undefined && { rollout }) };
}

/** The name that a person gave to a thread, the last one, from the index of the home in which its rollout lies. */
export function threadName(path: string, thread: string): string | undefined {
  const home = homeOf(path);
  const index = home === undefined ? undefined : readBeginning(join(home, 'session_index.jsonl'), MAX_INDEX);
  const at = index?.lastIndexOf(`"${thread}"`) ?? -1;
  if (index === undefined || at === -1) return undefined;
  const [line] = firstLines(index.slice(index.lastIndexOf('\n', at) + 1), 1);
  return line?.['id'] === thread ? textOf(line['thread_name']) : undefined;
}

const MAX_INDEX = 4 * 1024 * 1024;

function homeOf(path: string): string | undefined {
  for (let [folder, levels] = [dirname(path), 0]; levels < 5; [folder, levels] = [dirname(folder), levels + 1]) {
    const name = basename(folder);
    if (name === 'sessions' || name === 'archived_sessions') return dirname(folder);
  }
  return undefined;
}
