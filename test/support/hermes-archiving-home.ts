import { join } from 'node:path';
import { copySession, recordsFor } from '../../src/app/open-foreign.ts';
import { foreignStore } from '../../src/core/stores/foreign-store.ts';
import { createHermesSessionDriver } from '../../src/homes/hermes/archive/hermes-session-driver.ts';
import { belongsToHermes, createHermesSessionReader } from '../../src/homes/hermes/sessions/hermes-session-reader.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import type { TestedHome } from '../../src/homes/tested-home.conformance.ts';
import type { ArchiveObjects } from '../../src/keeping/archive/shelf/object-place.ts';
import { openCompanion } from '../../src/keeping/companion.ts';
import { dieAtChange } from './hermes-faults.ts';
import { HERMES_NOW } from './hermes-home.ts';
import { copyHermes, type HermesTemplate } from './hermes-tested-home.ts';

/** A copy of a Hermes home with Coppice's own records beside it, so that there is an archive. */
export async function copyArchivingHermes(
  template: HermesTemplate,
  objects?: ArchiveObjects,
): Promise<TestedHome & { readonly home: string }> {
  const copy = copyHermes(template);
  const first = await openHermesDriver(copy.home, objects);
  return {
    ...copy,
    driver: first.driver,
    async dieAt(change, step) {
      const { driver, close } = await openHermesDriver(copy.home, objects);
      const died = await dieAtChange(change, () => step(driver));
      await close();
      return died;
    },
    async [Symbol.asyncDispose]() {
      await first.close();
      await copy[Symbol.asyncDispose]();
    },
  };
}

/** The driver of a Hermes home with its archive, and what closes it. */
export async function openHermesDriver(home: string, objects?: ArchiveObjects) {
  const clock = { now: () => HERMES_NOW };
  const layout = nativeLayout(join(home, '.coppice'));
  const records = await openCompanion(layout, recordsFor({ layout, clock, brief: false }));
  await records.create();
  const companion = () => records.store();
  const reader = createHermesSessionReader({ home, clock });
  const store = foreignStore({ reader, records: companion, refusal: belongsToHermes });
  const driver = createHermesSessionDriver({
    home,
    store,
    companion,
    layout,
    clock,
    codec: 'brotli',
    objects,
    copySession,
  });
  return { driver, close: () => companion()[Symbol.asyncDispose]() };
}
