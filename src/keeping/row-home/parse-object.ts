import { isJsonObject, type JsonObject } from '../../core/json.ts';

/** An object that a column holds as JSON. Damaged JSON is passed over, as programs that write such columns do themselves. */
export function parseObject(text: unknown): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Whatever a column holds as JSON. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
