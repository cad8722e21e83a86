import { isJsonObject, type JsonObject } from '../json.ts';

/** The whole objects among the first lines of a text, at most so many. */
export function firstLines(beginning: string, most = 5): readonly JsonObject[] {
  const found: JsonObject[] = [];
  let at = 0;
  for (let line = 0; line < most && at < beginning.length; line += 1) {
    const end = beginning.indexOf('\n', at);
    const value = parse(beginning.slice(at, end === -1 ? undefined : end));
    if (value !== undefined) found.push(value);
    if (end === -1) break;
    at = end + 1;
  }
  return found;
}

function parse(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
