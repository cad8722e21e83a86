import type { RunItem } from '../../src/core/retention/run.ts';

/** A session that a run is about to remove. */
export function runItem(given: { number: number; id: string; fingerprint?: string }): RunItem {
  const { number, id, fingerprint = '' } = given;
  const fixed = { action: 'remove', reason: 'named', sizeBytes: 10, skipsTrash: false, state: 'intended' } as const;
  return { number, item: { kind: 'session', id }, fingerprint, ...fixed };
}
