import type { z } from 'zod';
import type { eventSchema } from '../http/schemas/gateway-schemas.ts';
import type { Answer } from './api.ts';

// What the API gives, by the very schemas that it answers with.

export type SessionDocument = Answer<'POST /api/sessions'>;
export type MessageDocument = Answer<'GET /api/sessions/{id}/messages'>['messages'][number];
export type PlanDocument = Answer<'GET /api/plans/{id}'>;
export type EventDocument = z.output<typeof eventSchema> & {
  /** Where to go on from. */
  readonly id: string;
};
