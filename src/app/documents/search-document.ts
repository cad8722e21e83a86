import type { SearchHit } from '../../core/stores/session-reader.ts';
import { isoTime } from '../../core/time.ts';
import { sessionDocument } from './session-document.ts';

/** A session that a search found, as programs see it: where, and how well it fits. */
export function hitDocument({ session, message, excerpt, match }: SearchHit) {
  return {
    ...sessionDocument(session),
    match,
    excerpt,
    ...(message !== undefined && { message: { ...message, at: isoTime(message.at) } }),
  };
}
