import { describe } from 'vitest';
import { type StorePlace, storeDesk } from '../../test/support/store-desk.ts';
import { changesConformance } from './conformance/changes.conformance.ts';
import { concurrencyConformance } from './conformance/concurrency.conformance.ts';
import { importsConformance } from './conformance/imports.conformance.ts';
import { inUseConformance } from './conformance/in-use.conformance.ts';
import { journalConformance } from './conformance/journal.conformance.ts';
import { leasesConformance } from './conformance/leases.conformance.ts';
import { listsConformance } from './conformance/lists.conformance.ts';
import { messagesConformance } from './conformance/messages.conformance.ts';
import { removalConformance } from './conformance/removal.conformance.ts';
import { searchConformance } from './conformance/search.conformance.ts';
import { sessionsConformance } from './conformance/sessions.conformance.ts';
import { trashConformance } from './conformance/trash.conformance.ts';
import { upkeepConformance } from './conformance/upkeep.conformance.ts';
import { usageConformance } from './conformance/usage.conformance.ts';

/** The contract of `SessionStore`, as behaviour. `newPlace` gives an empty place for each test. */
export function sessionStoreConformance(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(name, () => {
    const desk = storeDesk(newPlace);
    sessionsConformance(desk);
    changesConformance(desk);
    messagesConformance(desk);
    usageConformance(desk);
    listsConformance(desk);
    searchConformance(desk);
    removalConformance(desk);
    trashConformance(desk);
    journalConformance(desk);
    leasesConformance(desk);
    inUseConformance(desk);
    importsConformance(desk);
    concurrencyConformance(desk);
    upkeepConformance(desk);
  });
}
