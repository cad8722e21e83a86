import type { EpochMs } from '../time.ts';
import { contentText, type NewMessage } from './message.ts';
import type { ChildKind } from './session.ts';
import type { TranscriptFacts } from './transcript-format.ts';

/** What is gathered about a session while its transcript is read. */
export interface TranscriptNotes {
  /** The agent's own id, as soon as it is known; the first one counts. */
  id: string | undefined;
  workdir: string | undefined;
  model: string | undefined;
  parent: { readonly id: string; readonly kind: ChildKind } | undefined;
  /** Takes note of a message. */
  saw(message: NewMessage): void;
  sawTime(at: EpochMs | undefined): void;
  /** A title of this rank; the lowest rank wins, and of the same rank the last one. */
  name(rank: number, title: string | undefined): void;
  facts(): TranscriptFacts & { readonly id: string };
}

/** `fallbackId` stands where the agent gives no id of its own. Without a better title it is the beginning of the first prompt. */
export function startNotes(fallbackId: string): TranscriptNotes {
  let first: EpochMs | undefined;
  let last: EpochMs | undefined;
  let prompt: string | undefined;
  let title: { readonly rank: number; readonly text: string } | undefined;
  const notes: TranscriptNotes = {
    id: undefined,
    workdir: undefined,
    model: undefined,
    parent: undefined,
    saw(message) {
      notes.sawTime(message.at);
      if (message.model !== undefined) notes.model = message.model;
      if (prompt === undefined && message.role === 'user') prompt = titleLine(contentText(message.content));
    },
    sawTime(at) {
      if (at === undefined) return;
      if (first === undefined || at < first) first = at;
      if (last === undefined || at > last) last = at;
    },
    name(rank, text) {
      const line = text === undefined ? undefined : titleLine(text);
      if (line !== undefined && (title === undefined || rank <= title.rank)) title = { rank, text: line };
    },
    facts() {
      const called = title?.text ?? prompt;
      const { workdir, model, parent } = notes;
      return {
        id: notes.id ?? fallbackId,
        ...(called !== undefined && { title: called }),
        ...(workdir !== undefined && { workdir }),
        ...(model !== undefined && { model }),
        ...(first !== undefined && { startedAt: first }),
        ...(last !== undefined && { lastActiveAt: last }),
        ...(parent !== undefined && { parentId: parent.id, childKind: parent.kind }),
      };
    },
  };
  return notes;
}

const MAX_TITLE = 100;

/** One line that can be shown in a list. */
function titleLine(text: string): string | undefined {
  const line = text
    .slice(0, 4 * MAX_TITLE)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
  if (line === '') return undefined;
  const letters = [...line];
  return letters.length <= MAX_TITLE ? line : `${letters.slice(0, MAX_TITLE - 1).join('')}…`;
}
