import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Decision, Plan } from '../../core/retention/plan.ts';

/** A name for a plan that says exactly what it is: the same decisions, the same id, in whatever order a document has its names. */
export function planId({ decisions, ...rest }: Plan): string {
  const hash = createHash('sha256').update(canonicalJson(rest));
  // One after the other: a plan of 100 000 decisions is a long text.
  for (const decision of decisions) hash.update(JSON.stringify(factsOf(decision)));
  return hash.digest('hex').slice(0, 16);
}

function factsOf({ item, sizeBytes, action, reason, ...removal }: Decision): readonly unknown[] {
  const { fingerprint, skipsTrash } = removal as { readonly fingerprint?: string; readonly skipsTrash?: boolean };
  return [item.kind, item.id, sizeBytes, action, reason, fingerprint, skipsTrash];
}
