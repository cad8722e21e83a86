import { archiveRoutes } from './archive.ts';
import { auditRoutes } from './audit.ts';
import { checkpointRoutes } from './checkpoints.ts';
import { cronRoutes } from './cron.ts';
import { gatewayRoutes } from './gateway.ts';
import { importRoutes } from './imports.ts';
import { ledgerRoutes } from './ledger.ts';
import { machineRoutes } from './machine.ts';
import { messageRoutes } from './messages.ts';
import { openapiRoute } from './openapi.ts';
import { planRoutes } from './plans.ts';
import type { Route, TypedRoute } from './route.ts';
import { runRoutes } from './runs.ts';
import { sessionRoutes } from './sessions.ts';
import { upkeepRoutes } from './upkeep.ts';

const DESCRIBED = [
  ...sessionRoutes,
  ...messageRoutes,
  ...importRoutes,
  ...gatewayRoutes,
  ...planRoutes,
  ...runRoutes,
  ...archiveRoutes,
  ...ledgerRoutes,
  ...checkpointRoutes,
  ...cronRoutes,
  ...upkeepRoutes,
  ...auditRoutes,
  ...machineRoutes,
] as const;

/** What each operation takes and gives, by its method and path. */
export type Api = {
  [Types in TypesOf<(typeof DESCRIBED)[number]> as Types['operation']]: Types;
};

type TypesOf<R> = R extends TypedRoute<infer Types> ? Types : never;

/** Every route there is, the description of the others included. */
export const ROUTES: readonly Route[] = [...DESCRIBED, openapiRoute(DESCRIBED)];
