import type { SearchGaps } from '../../../app/search/search-gaps.ts';
import { formatBytes, plural } from '../../print/format.ts';

/** What a search could not look at, for people. */
export function gapSentences({ unread, unreadable, busy, leftOut, stopped }: SearchGaps): readonly string[] {
  const sentences: string[] = [];
  if (stopped === 'no-space')
    sentences.push(
      'The disk is full, so the search index was not brought up to date. What is newest may be missing here.',
    );
  if (stopped === 'read-only')
    sentences.push('The search index cannot be written, so what is newest may be missing here.');
  if (unread.sessions > 0 && stopped === undefined)
    sentences.push(
      `What is new in ${plural(unread.sessions, 'session')} (${formatBytes(unread.bytes)}) is not in the search index yet. ` +
        'Search again to go on, or read all of it with: coppice sessions index',
    );
  if (busy > 0) sentences.push(`Another process is reading ${plural(busy, 'session')} into the search index just now.`);
  if (leftOut > 0)
    sentences.push(
      `What ${plural(leftOut, 'older session')} say is not searched, only their titles: the index is as large as homes.search_max_mb allows.`,
    );
  if (unreadable > 0)
    sentences.push(`${plural(unreadable, 'session')} could not be read, so nothing is found in them.`);
  return sentences;
}
