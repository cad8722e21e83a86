import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { nestedDeeper } from '../../core/nested-deeper.ts';
import type { Problem } from '../../core/problem.ts';
import type { Line } from '../../platform/text/read-lines.ts';

/** A longer line is not read into memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Deeper values could be parsed but not written again: writing JSON needs a stack. */
export const MAX_LEVELS = 1000;

/** Either the JSON object on a line, or the problem with it. */
export type ParsedLine = { readonly value: JsonObject } | { readonly problem: Problem };

/** Parses a line of a file that should hold one JSON object per line. */
export function parseLine(line: Line, path: string): ParsedLine {
  const problem = (kind: string, what: string): ParsedLine => ({
    problem: { kind, subject: `${path}:${line.number}`, message: `Line ${line.number} of ${path} ${what}.` },
  });
  if (line.tooLong) return problem('line-too-long', `is longer than ${MAX_LINE_BYTES} bytes and was left out`);
  let value: JsonValue;
  try {
    value = JSON.parse(line.text) as JsonValue;
  } catch {
    // What the parser says about a broken line helps nobody; where it is does.
    return line.complete ? problem('unreadable-line', 'is not JSON') : problem('torn-line', 'is cut off');
  }
  if (!isJsonObject(value)) return problem('unreadable-line', 'is JSON, but not an object');
  return nestedDeeper(value, MAX_LEVELS) ? problem('unreadable-line', 'is nested too deeply') : { value };
}
