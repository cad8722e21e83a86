import { z } from 'zod';
import { Failure } from '../../core/failure.ts';
import type { Decision, Plan, PlanRequest, Shortfall } from '../../core/retention/plan.ts';
import { forEachFilter } from '../../core/sessions/session-filters.ts';
import { planId } from '../retention/plan-id.ts';

/**
 * The plan in a document that `planDocument` made. Refuses what is not a plan, and one that was changed since: the id is
 * made from the content, so what is applied is what was shown.
 */
export function readPlanDocument(text: string, where: string): Plan {
  const data = parseJson(text, where);
  if (!planSchema.safeParse(data).success) throw notAPlan(where);
  return planOf(data as PlanDocument, where);
}

/** The same of a document that fits `planSchema`. */
export function planOf(document: PlanDocument, where: string): Plan {
  const { home, madeAt, request, decisions, notes, shortfalls, onlyShown } = document;
  const plan: Plan = {
    home,
    madeAt: Date.parse(madeAt),
    request: readPlanRequest(request),
    decisions: decisions.some((decision) => 'forGood' in decision) ? decisions.map(unmarked) : decisions,
    notes,
    shortfalls,
    ...(onlyShown && { onlyShown }),
  };
  if (planId(plan) === document.id) return plan;
  throw new Failure('refused', `The plan in ${where} was changed since it was made.`, { hint: NEW_PLAN });
}

/** What a document says for its readers is derived from the rest. */
function unmarked({ forGood: _, ...decision }: DecisionDocument): Decision {
  return decision;
}

type DecisionDocument = Decision & { readonly forGood?: true };

export interface PlanDocument {
  readonly id: string;
  readonly home: Plan['home'];
  readonly madeAt: string;
  readonly request: PlanRequestDocument;
  readonly decisions: readonly DecisionDocument[];
  readonly notes: readonly string[];
  readonly shortfalls: readonly Shortfall[];
  readonly onlyShown?: true;
}

type PlanRequestDocument = z.output<typeof planRequestSchema>;

/** The request in a document, with its times as numbers. */
export function readPlanRequest(request: PlanRequestDocument): PlanRequest {
  if (request.kind === 'clear-copies') return { ...request, before: Date.parse(request.before) };
  if (request.kind !== 'prune' && request.kind !== 'archive') return request as PlanRequest;
  const { before: beforeText, after: afterText, ...rest } = request;
  return {
    ...rest,
    ...(beforeText !== undefined && { before: Date.parse(beforeText) }),
    ...(afterText !== undefined && { after: Date.parse(afterText) }),
  } as PlanRequest;
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notAPlan(where, error);
  }
}

const NEW_PLAN = 'Nothing was changed. Make a new one with: coppice plan';

function notAPlan(where: string, cause?: unknown): Failure {
  return new Failure('refused', `${where} is not a plan.`, { hint: NEW_PLAN, cause });
}

const filter = z
  .strictObject(
    forEachFilter({
      is: z.string().optional(),
      contains: z.string().optional(),
      within: z.string().optional(),
      least: z.number().optional(),
      most: z.number().optional(),
      all: z.array(z.string()).optional(),
      yes: z.boolean().optional(),
    }),
  )
  .meta({ id: 'SessionFilter' });
const before = z.iso.datetime().optional();
const after = z.iso.datetime().optional();

/** What may be asked of a plan, as a document. */
export const planRequestSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('policy') }),
    z.strictObject({ kind: z.literal('delete'), ids: z.array(z.string()) }),
    z.strictObject({ kind: z.literal('prune'), filter, before, after, part: z.enum(['all', 'files']) }),
    z.strictObject({
      kind: z.literal('gc'),
      filter,
      emptyMs: z.number().optional(),
      trivialMs: z.number().optional(),
      trivialMaxMessages: z.number().optional(),
    }),
    z.strictObject({ kind: z.literal('archive'), filter, before, after }),
    z.strictObject({
      kind: z.literal('checkpoints'),
      retentionMs: z.number().optional(),
      maxSnapshots: z.number().optional(),
      maxBytes: z.number().optional(),
      keepOrphans: z.boolean(),
      unattended: z.literal(true).optional(),
    }),
    z.strictObject({
      kind: z.literal('clear-checkpoints'),
      gone: z.string().optional(),
      unreachable: z.literal(true).optional(),
    }),
    z.strictObject({ kind: z.literal('clear-legacy') }),
    z.strictObject({ kind: z.literal('clear-copies'), before: z.iso.datetime() }),
  ])
  .meta({ id: 'PlanRequest' });

/** What a decision is about. */
export const itemSchema = z.strictObject({
  kind: z.enum(['session', 'orphan', 'debris', 'trash', 'archive', 'checkpoint']),
  id: z.string(),
});

const about = {
  item: itemSchema,
  sizeBytes: z.number(),
  reason: z.string(),
};

export const decisionSchema = z
  .discriminatedUnion('action', [
    z.strictObject({ ...about, action: z.literal('keep') }),
    z.strictObject({
      ...about,
      action: z.enum(['remove', 'archive', 'drop-files', 'drop-dumps', 'purge']),
      fingerprint: z.string(),
      skipsTrash: z.literal(true).optional(),
      forGood: z.literal(true).optional(),
    }),
  ])
  .meta({ id: 'Decision' });

export const shortfallSchema = z.strictObject({
  source: z.string().optional(),
  of: z.literal('checkpoints').optional(),
  bytes: z.number(),
  heldBytes: z.record(z.string(), z.number()),
});

/** A plan as `planDocument` makes it. */
export const planSchema = z.object({
  id: z.string(),
  home: z.strictObject({ id: z.string(), path: z.string() }),
  madeAt: z.iso.datetime(),
  request: planRequestSchema,
  decisions: z.array(decisionSchema),
  notes: z.array(z.string()),
  shortfalls: z.array(shortfallSchema),
  onlyShown: z.literal(true).exactOptional(),
});
