import { runKit } from '../../test/support/run-kit.ts';
import { homeCrashCases } from '../kit/homes/home-crash-cases.ts';
import { homeDriverCases } from '../kit/homes/home-driver-cases.ts';
import type { HomeTraits, MakeHome } from '../kit/homes/tested-home.ts';

/** The contract of `HomeDriver`, in our test runner. */
export function testHomeDriver(name: string, make: MakeHome, traits?: HomeTraits): void {
  runKit(`${name}: the driver`, homeDriverCases(traits), () => ({ make }));
}

/** The same for processes that die, at every change or at every so many. */
export function testHomeDriverCrashes(name: string, make: MakeHome, every = 1): void {
  runKit(`${name}: the driver after a crash`, homeCrashCases, () => ({ make, every }));
}
