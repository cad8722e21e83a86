import type { z } from 'zod';
import type {
  checkpointDetailSchema,
  checkpointSchema,
  diffSchema,
  restoreDoneSchema,
  restoreSchema,
  takenSchema,
  takeSchema,
} from '../http/schemas/checkpoint-schemas.ts';
import type {
  eventSchema,
  jobListSchema,
  jobRunSchema,
  resetDoneSchema,
  resolvedSchema,
  resolveSchema,
  routeListSchema,
  spendListSchema,
} from '../http/schemas/gateway-schemas.ts';
import type { homeSchema } from '../http/schemas/machine-schemas.ts';
import type {
  carriedSchema,
  planDocumentSchema,
  restoredSchema,
  runDetailSchema,
  runListSchema,
} from '../http/schemas/run-schemas.ts';
import type {
  hitListSchema,
  messageSchema,
  newMessagesSchema,
  newSessionSchema,
  receiptSchema,
  sessionChangeSchema,
  sessionDetailSchema,
  sessionListQuery,
  sessionSchema,
  usageReportSchema,
} from '../http/schemas/session-schemas.ts';

// What the API takes and gives, by the very schemas that it checks with.

export type HomeDocument = z.output<typeof homeSchema>;
export type SessionDocument = z.output<typeof sessionSchema>;
export type SessionDetailDocument = z.output<typeof sessionDetailSchema>;
export type SessionListQuery = Omit<z.input<typeof sessionListQuery>, 'cursor' | 'limit' | 'active' | 'archived'> & {
  readonly active?: boolean;
  readonly archived?: boolean;
  readonly limit?: number;
};
export type NewSessionDocument = z.input<typeof newSessionSchema>;
export type SessionChangeDocument = z.input<typeof sessionChangeSchema>;
export type UsageReportDocument = z.input<typeof usageReportSchema>;
export type MessageDocument = z.output<typeof messageSchema>;
export type NewMessageDocument = z.input<typeof newMessagesSchema>['messages'][number];
export type ReceiptDocument = z.output<typeof receiptSchema>;
export type HitDocument = z.output<typeof hitListSchema>['sessions'][number];
export type SpendListDocument = z.output<typeof spendListSchema>;
export type RouteDocument = z.output<typeof routeListSchema>['routes'][number];
export type ResolveDocument = z.input<typeof resolveSchema>;
export type ResolvedDocument = z.output<typeof resolvedSchema>;
export type ResetDocument = z.output<typeof resetDoneSchema>;
export type PlanDocument = z.output<typeof planDocumentSchema>;
export type CarriedDocument = z.output<typeof carriedSchema>;
export type RunDocument = z.output<typeof runListSchema>['runs'][number];
export type RunDetailDocument = z.output<typeof runDetailSchema>;
export type RestoredDocument = z.output<typeof restoredSchema>;
export type CheckpointDocument = z.output<typeof checkpointSchema>;
export type CheckpointDetailDocument = z.output<typeof checkpointDetailSchema>;
export type TakeDocument = z.input<typeof takeSchema>;
export type TakenDocument = z.output<typeof takenSchema>;
export type DiffDocument = z.output<typeof diffSchema>;
export type RestoreDocument = z.input<typeof restoreSchema>;
export type RestoreDoneDocument = z.output<typeof restoreDoneSchema>;
export type JobDocument = z.output<typeof jobListSchema>['jobs'][number];
export type JobRunDocument = z.output<typeof jobRunSchema>;
export type EventDocument = z.output<typeof eventSchema> & {
  /** Where to go on from. */
  readonly id: string;
};
