import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { HEAD_BYTES } from '../../core/sessions/transcript-format.ts';
import { readSlice } from './read-slice.ts';

/** Lines of a file as objects, and whether they are all that is in it. */
export interface FileEnds {
  readonly lines: readonly JsonObject[];
  readonly whole: boolean;
}

/**
 * The lines at the beginning and at the end of a file of JSON lines, in order, at most so many bytes of each end. What lies between is not
 * read, and a line that is cut off, broken or no object is left out. Fails where the file cannot be read.
 */
export function readEnds(path: string, bytes: number = HEAD_BYTES): FileEnds {
  const head = readSlice(path, { bytes });
  if (head.sizeBytes <= bytes) return { lines: objectsIn(head.text), whole: true };
  if (head.sizeBytes <= 2 * bytes) return { lines: objectsIn(readSlice(path, { bytes: 2 * bytes }).text), whole: true };
  const tail = readSlice(path, { from: 'end', bytes }).text;
  const first = head.text.slice(0, head.text.lastIndexOf('\n') + 1);
  return { lines: [...objectsIn(first), ...objectsIn(tail.slice(tail.indexOf('\n') + 1))], whole: false };
}

function objectsIn(text: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      const value: unknown = JSON.parse(line);
      return isJsonObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
