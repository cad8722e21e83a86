import type { KitCase } from '../kit-case.ts';
import { archiveCases } from './archive-cases.ts';
import { changeCases } from './change-cases.ts';
import { concurrencyCases } from './concurrency-cases.ts';
import { cronCases } from './cron-cases.ts';
import { deliveryCases } from './delivery-cases.ts';
import { importCases } from './import-cases.ts';
import { inUseCases } from './in-use-cases.ts';
import { journalCases } from './journal-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { listCases } from './list-cases.ts';
import { messageCases } from './message-cases.ts';
import { removalCases } from './removal-cases.ts';
import { rewindCases } from './rewind-cases.ts';
import { routeCases } from './route-cases.ts';
import { searchCases } from './search-cases.ts';
import { sessionCases } from './session-cases.ts';
import type { StorePlace } from './store-desk.ts';
import { trashCases } from './trash-cases.ts';
import { upkeepCases } from './upkeep-cases.ts';
import { usageCases } from './usage-cases.ts';

/** The contract of `SessionReader` and `SessionWriter`, as behaviour. */
export const sessionStoreCases: readonly KitCase<StorePlace>[] = [
  ...sessionCases,
  ...changeCases,
  ...messageCases,
  ...usageCases,
  ...listCases,
  ...searchCases,
  ...removalCases,
  ...leaseCases,
  ...inUseCases,
  ...importCases,
  ...concurrencyCases,
  ...upkeepCases,
];

/** The contract of `SessionRecords`: runs, what is out of sight, what is archived, what was taken back. */
export const sessionRecordCases: readonly KitCase<StorePlace>[] = [
  ...journalCases,
  ...trashCases,
  ...archiveCases,
  ...rewindCases,
];

/** The contract of `GatewayBooks`. */
export const gatewayBookCases: readonly KitCase<StorePlace>[] = [...routeCases, ...cronCases, ...deliveryCases];
