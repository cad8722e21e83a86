import { createHash } from 'node:crypto';
import { isJsonObject } from '../core/json.ts';
import type { Decision, Plan } from '../core/plan.ts';

/** A name for a plan that says exactly what it is: the same decisions, the same id, in whatever order a document has its names. */
export function planId({ decisions, ...rest }: Plan): string {
  const hash = createHash('sha256').update(JSON.stringify(rest, inOrder));
  // One after the other: a plan of 100 000 decisions is a long text.
  for (const decision of decisions) hash.update(JSON.stringify(factsOf(decision)));
  return hash.digest('hex').slice(0, 16);
}

function inOrder(_: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function factsOf({ item, sizeBytes, action, reason, ...removal }: Decision): readonly unknown[] {
  const { fingerprint, skipsTrash } = removal as { readonly fingerprint?: string; readonly skipsTrash?: boolean };
  return [item.kind, item.id, sizeBytes, action, reason, fingerprint, skipsTrash];
}
