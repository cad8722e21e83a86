import { openapiRoute } from './openapi/openapi.ts';
import { archiveRoutes } from './resources/archive.ts';
import { auditRoutes } from './resources/audit.ts';
import { checkpointRoutes } from './resources/checkpoints.ts';
import { cronRoutes } from './resources/cron.ts';
import { gatewayRoutes } from './resources/gateway.ts';
import { importRoutes } from './resources/imports.ts';
import { ledgerRoutes } from './resources/ledger.ts';
import { machineRoutes } from './resources/machine.ts';
import { messageRoutes } from './resources/messages.ts';
import { planRoutes } from './resources/plans.ts';
import { runRoutes } from './resources/runs.ts';
import { sessionListRoutes } from './resources/session-lists.ts';
import { sessionRoutes } from './resources/sessions.ts';
import { signInRoutes } from './resources/sign-in.ts';
import { usageRoutes } from './resources/usage.ts';
import { upkeepRoutes } from './resources/upkeep.ts';
import type { Route, TypedRoute } from './route.ts';

const DESCRIBED = [
  ...sessionListRoutes,
  ...sessionRoutes,
  ...messageRoutes,
  ...importRoutes,
  ...gatewayRoutes,
  ...planRoutes,
  ...runRoutes,
  ...archiveRoutes,
  ...ledgerRoutes,
  ...usageRoutes,
  ...checkpointRoutes,
  ...cronRoutes,
  ...upkeepRoutes,
  ...auditRoutes,
  ...machineRoutes,
  ...signInRoutes,
] as const;

/** What each operation takes and gives, by its method and path. */
export type Api = {
  [Types in TypesOf<(typeof DESCRIBED)[number]> as Types['operation']]: Types;
};

type TypesOf<R> = R extends TypedRoute<infer Types> ? Types : never;

/** Every route there is, the description of the others included. */
export const ROUTES: readonly Route[] = [...DESCRIBED, openapiRoute(DESCRIBED)];
