// Properties are held against the same cases in every run, and against others in each long one. `vitest.config.ts` puts this in
// the place of the library, so that no test can forget it.
import fc from '../../node_modules/fast-check/lib/fast-check.js';
import { SEED } from './campaign.ts';

fc.configureGlobal({ seed: SEED });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
