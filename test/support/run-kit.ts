import { describe, it } from 'vitest';
import type { KitCase } from '../../src/kit/kit-case.ts';

/** Runs cases of the kit, each in a place of its own. */
export function runKit<Place>(name: string, cases: readonly KitCase<Place>[], newPlace: () => Place): void {
  describe(name, () => {
    for (const { name: so, run } of cases) it(so, () => run(newPlace()));
  });
}
