import { archiveRoutes } from './archive.ts';
import { checkpointRoutes } from './checkpoints.ts';
import { cronRoutes } from './cron.ts';
import { gatewayRoutes } from './gateway.ts';
import { machineRoutes } from './machine.ts';
import { messageRoutes } from './messages.ts';
import { openapiRoute } from './openapi.ts';
import { planRoutes } from './plans.ts';
import type { Route } from './route.ts';
import { runRoutes } from './runs.ts';
import { sessionRoutes } from './sessions.ts';

const DESCRIBED: readonly Route[] = [
  ...sessionRoutes,
  ...messageRoutes,
  ...gatewayRoutes,
  ...planRoutes,
  ...runRoutes,
  ...archiveRoutes,
  ...checkpointRoutes,
  ...cronRoutes,
  ...machineRoutes,
];

/** Every route there is, the description of the others included. */
export const ROUTES: readonly Route[] = [...DESCRIBED, openapiRoute(DESCRIBED)];
