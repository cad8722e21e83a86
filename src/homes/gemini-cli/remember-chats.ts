import type { TreeFile } from '../../keeping/file-home/home-tree.ts';
import type { LookIntoChat } from './gemini-drafts.ts';
import { type ChatHead, readChat } from './read-chat.ts';

/** Looks into chats, and remembers what it saw for as long as a file stays as it is. */
export function rememberChats(): LookIntoChat {
  const known = new Map<string, { readonly mark: string; readonly head: ChatHead | undefined }>();
  return (path, file) => {
    const mark = markOf(file);
    const before = known.get(path);
    if (before?.mark === mark) return before.head;
    const head = headOf(path);
    known.set(path, { mark, head });
    return head;
  };
}

function markOf({ sizeBytes, modifiedAt }: TreeFile): string {
  return `${sizeBytes} ${modifiedAt}`;
}

function headOf(path: string): ChatHead | undefined {
  try {
    return readChat(path);
  } catch {
    // Whatever the reason is, it is told when somebody reads the session. Until then it stays.
    return undefined;
  }
}
