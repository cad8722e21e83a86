import { runKit } from '../../test/support/run-kit.ts';
import { homeArchiveCases } from '../kit/homes/home-archive-cases.ts';
import { homeArchiveCrashCases } from '../kit/homes/home-crash-cases.ts';
import type { HomeTraits, MakeHome } from '../kit/homes/tested-home.ts';

/** The contract of drivers that can archive, in our test runner. */
export function testHomeArchive(name: string, make: MakeHome, traits?: HomeTraits): void {
  runKit(`${name}: the archive`, homeArchiveCases(traits), () => ({ make }));
}

/** The same for processes that die, at every change or at every so many. */
export function testHomeArchiveCrashes(name: string, make: MakeHome, every = 1): void {
  runKit(`${name}: the archive after a crash`, homeArchiveCrashCases, () => ({ make, every }));
}
