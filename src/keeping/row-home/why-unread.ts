import { errorText } from '../../core/error-text.ts';
import { errorCode } from '../../platform/error-code.ts';
import { errorSentence } from '../../platform/error-sentence.ts';

/** Why a database cannot be read, as a sentence. A bug is thrown on. */
export function whyUnread(error: unknown): string {
  return errorCode(error)?.startsWith('SQLITE_') === true ? `SQLite says: ${errorText(error)}.` : errorSentence(error);
}
