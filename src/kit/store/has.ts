import assert from 'node:assert/strict';

/** What `part` says is so in what was found. What it does not mention may be anything, but lists are as long as it says. */
export function has(found: unknown, part: unknown): void {
  assert.deepEqual(partLike(found, part), part);
}

/** There is no such field, not even an empty one. */
export function lacks(found: object | undefined, field: string): void {
  assert.equal(found !== undefined && field in found, false, `${field} is there.`);
}

function partLike(found: unknown, part: unknown): unknown {
  if (typeof found !== 'object' || found === null || typeof part !== 'object' || part === null) return found;
  if (Array.isArray(part)) return Array.isArray(found) ? found.map((each, at) => partLike(each, part[at])) : found;
  const fields = found as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, partLike(fields[name], value)]));
}
