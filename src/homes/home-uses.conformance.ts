import { runKit } from '../../test/support/run-kit.ts';
import { homeUseCases } from '../kit/homes/home-use-cases.ts';
import type { HomeTraits, MakeHome } from '../kit/homes/tested-home.ts';

/** One meaning of "in use" for all homes, in our test runner. */
export function testHomeUses(name: string, make: MakeHome, traits?: HomeTraits): void {
  runKit(`${name}: sessions in use`, homeUseCases(traits), () => ({ make }));
}
