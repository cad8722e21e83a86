import type { EpochMs } from '../../core/time.ts';

/** How old a chat may get, and how many of a project there may be. */
export interface ChatRule {
  readonly maxAgeMs?: number;
  readonly maxCount?: number;
}

export interface JudgedChat {
  /** The name of its file. */
  readonly name: string;
  readonly writtenAt: EpochMs;
  /** When it was used last, as it says itself. Absent for what the program does not list. */
  readonly usedAt?: EpochMs;
}

/**
 * From when on a start of Gemini CLI deletes the chats of one project. What it does not list it deletes at once, and with each chat all
 * others whose names end in the same eight characters, whether they have anything else in common or not.
 */
export function judgeChats<T extends JudgedChat>(chats: readonly T[], rule: ChatRule): ReadonlyMap<T, EpochMs> {
  const own = ownFates(chats, rule);
  const together = new Map<string, EpochMs>();
  for (const [{ name }, at] of own) {
    const key = sharedName(name);
    together.set(key, Math.min(at, together.get(key) ?? at));
  }
  const fates = new Map<T, EpochMs>();
  for (const chat of chats) {
    const at = together.get(sharedName(chat.name));
    if (at !== undefined) fates.set(chat, at);
  }
  return fates;
}

function ownFates<T extends JudgedChat>(chats: readonly T[], { maxAgeMs, maxCount }: ChatRule): Map<T, EpochMs> {
  const fates = new Map<T, EpochMs>();
  const listed = chats.filter(({ usedAt }) => usedAt !== undefined);
  const newestFirst = listed.toSorted((a, b) => (b.usedAt ?? 0) - (a.usedAt ?? 0));
  const tooMany = new Set(maxCount === undefined ? [] : newestFirst.slice(Math.floor(maxCount)));
  for (const chat of chats) {
    const { usedAt, writtenAt } = chat;
    const isOver = usedAt === undefined || tooMany.has(chat);
    const oldAt = usedAt === undefined || maxAgeMs === undefined ? undefined : usedAt + maxAgeMs;
    if (isOver) fates.set(chat, Math.min(writtenAt, oldAt ?? writtenAt));
    else if (oldAt !== undefined) fates.set(chat, oldAt);
  }
  return fates;
}

/** What names have in common that go together: their last eight characters, or else all of them. */
function sharedName(name: string): string {
  return /-([A-Za-z0-9]{8})\.jsonl?$/.exec(name)?.[1] ?? name;
}
