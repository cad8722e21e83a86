import type { KeptRecords } from '../sessions/kept-records.ts';
import type { SessionSize } from '../sessions/session.ts';
import type { CronBook } from './cron-book.ts';
import type { DeliveryBook } from './delivery-book.ts';
import type { RequestBook } from './once.ts';
import type { RouteBook } from './route-book.ts';

/** What the gateway needs: who answers which key, and what runs by the clock. */
export interface GatewayBooks {
  /** How large a session is. Asked before every step of an agent. */
  sizeOf(id: string): Promise<SessionSize | undefined>;
  readonly routes: RouteBook;
  readonly cron: CronBook;
  readonly deliveries: DeliveryBook;
  /** What was asked for under a key. Where a change takes one, the key is kept in the transaction of the change. */
  readonly requests: RequestBook;
  /** Supervised runs that have not ended. */
  readonly runRecords: KeptRecords;
}
