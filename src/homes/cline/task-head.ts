import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { textOf } from '../../core/sessions/message-parts.ts';
import { readSlice } from '../../platform/transcripts/read-slice.ts';

/** The talk as the model saw it, and what newer versions note of a task beside it. */
export const TALK = 'api_conversation_history.json';
export const ITEM = 'history_item.json';

/** What a bounded look into the folder of a task tells. */
export interface TaskHead {
  /** As newer versions note it. */
  readonly item?: JsonObject;
  readonly parentId?: string;
  /** Why nothing about it is certain, as the end of a sentence about it. */
  readonly trouble?: string;
}

const MAX_ITEM = 256 * 1024;
const END_BYTES = 1024;

/** Looks whether the talk is whole where it begins and ends, and reads what is noted of the task. */
export function readTaskHead(folder: string, hasItem: boolean): TaskHead {
  const item = hasItem ? readItem(folder) : undefined;
  if (item === 'damaged') return { trouble: `has a ${ITEM} that is no whole JSON` };
  const parentId = textOf(item?.['parentTaskId']);
  return {
    ...(item !== undefined && { item }),
    ...(parentId !== undefined && { parentId }),
    ...(!isWhole(join(folder, TALK)) && { trouble: `has a ${TALK} that is cut off or no list` }),
  };
}

/** Undefined where it is damaged or too long to be one. */
export function readItem(folder: string): JsonObject | 'damaged' {
  const { text, sizeBytes } = readSlice(join(folder, ITEM), { bytes: MAX_ITEM });
  if (sizeBytes > MAX_ITEM) return 'damaged';
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : 'damaged';
  } catch {
    return 'damaged';
  }
}

/** What lies between may be hundreds of megabytes of pictures. A write that was cut short shows at the end. */
function isWhole(path: string): boolean {
  const { text } = readSlice(path, { bytes: END_BYTES });
  const end = readSlice(path, { from: 'end', bytes: END_BYTES }).text;
  return text.trimStart().startsWith('[') && end.trimEnd().endsWith(']');
}
