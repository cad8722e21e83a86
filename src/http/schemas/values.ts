import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** An instant, in ISO 8601 with Z. */
export const time = z.iso.datetime();

/** The same in a request, as milliseconds. */
export const givenTime = time.transform((text) => Date.parse(text));

export const count = z.int().min(0);

export const amount = z.object({ items: count, sizeBytes: count });

/** What is wrong with something, in a sentence. */
export const problemSchema = z
  .object({ kind: z.string(), subject: z.string(), message: z.string(), hint: z.string().exactOptional() })
  .meta({ id: 'Problem' });

/** How many things were looked at so far, and of how many where that is known. */
export const progressSchema = z.object({ done: count, total: count.exactOptional() });

/** Any JSON object, kept exactly as it came. */
export const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object').meta({ type: 'object' });

/**
 * The same for a field that may be missing. JSON has no undefined, so it stands for a field that is not there: to be told so costs
 * zod far less than to make up a complaint and drop it.
 */
export const jsonObjectOrNone = z
  .custom<JsonObject>((value) => value === undefined || isJsonObject(value), 'must be an object')
  .meta({ type: 'object' });

/** Any JSON value, kept exactly as it came. */
export const anyJson = z.custom<JsonValue>((value) => value !== undefined, 'is missing');

/** A yes or no in a query. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** How many of a list one answer holds at most. */
export function pageSize(most: number) {
  return z.coerce.number().int().min(1).max(most).exactOptional();
}

/** What every list takes: how many at once, and whether it is said how many there are. */
export const pageQuery = { limit: pageSize(1000), total: flag.exactOptional() };

/** What every list tells: how many there are in all, unless the client did without. */
export const pageAnswer = { total: count.exactOptional() };

/** The same for lists that are gone through by how many came before. */
export const countedQuery = { ...pageQuery, after: z.coerce.number().int().min(0).exactOptional() };
export const countedAnswer = { ...pageAnswer, next: count.exactOptional() };

/** Everything is stored as text of this length at most; longer names are refused by the home. */
export const text = z.string().min(1).max(4096);

/** A name in a query that may be given several times. */
export const texts = z.union([text.transform((only) => [only]), z.array(text).max(1000)]);
