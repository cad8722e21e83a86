import type { App, AppRetention } from '../../app/app.ts';
import { planDocument, requestDocument } from '../../app/documents/plan-document.ts';
import { readPlanDocument } from '../../app/documents/read-plan-document.ts';
import type { EmptyOptions } from '../../app/retention/forget-run.ts';
import type { AppliedRun, ApplyOptions } from '../../app/retention/retention.ts';
import type { Answer, Body, Sent, Step } from '../../client/api.ts';
import type { Client } from '../../client/client.ts';
import { Failure } from '../../core/failure.ts';
import type { MaintenanceReport } from '../../core/retention/maintenance.ts';
import type { Plan } from '../../core/retention/plan.ts';
import { mapped } from '../mapped.ts';
import { readOutcome, readReport, readRun, readRunItem } from './read-documents.ts';

type Removing = Required<Pick<App, 'plan' | 'apply' | 'undo' | 'savedPlan' | 'retention'>>;

/** Plans, runs and the trash of a home behind a daemon. A plan that it made is kept there, and applied by its id. */
export function remoteRetention(client: Client): Removing {
  const { call } = client;
  const plan: App['plan'] = async (request = { kind: 'policy' }, { signal, onProgress } = {}) => {
    const body = { request: requestDocument(request) } as Sent<Body<'POST /api/plans'>>;
    return readPlan(await call('POST /api/plans', { body, signal, onStep: ({ done }) => onProgress?.(done) }));
  };
  const retention: AppRetention = {
    plan,
    narrow: async (given, ids) =>
      readPlan(await call('POST /api/plans/{id}/narrow', { id: planDocument(given).id, body: { ids } })),
    // The daemon does so itself before it answers.
    recover: async () => [],
    runs: () => mapped(client.runs.list(), readRun),
    items: (runId) => mapped(client.runs.items(runId), readRunItem),
    async restore(ids, options = {}) {
      const { done, skipped } = await call('POST /api/archive/restore', { body: { ids }, ...watched(options) });
      return { done, skipped };
    },
    emptyTrash: (id: string, options?: EmptyOptions) => call('POST /api/runs/{id}/empty', { id, body: { ...options } }),
    // The daemon does so by the clock.
    emptyExpired: async () => ({ items: 0, skipped: 0, freedBytes: 0 }),
    reclaimCheckpoints: async () => (await call('POST /api/checkpoints/reclaim', { body: {} })).freedBytes,
    maintain: async (options) => {
      const { signal, allow = false } = options ?? {};
      return readReport(await call('POST /api/maintain', { body: { allow }, signal })) as MaintenanceReport;
    },
    async hold(held) {
      const { heldSince } = await call('POST /api/maintain/hold', { body: { held } });
      return heldSince === undefined ? {} : { heldSince: Date.parse(heldSince) };
    },
  };
  return {
    plan,
    apply: async (given, options) => applied(await carryOut(client, given, options)),
    undo: async (id, { ids, ...options } = {}) =>
      applied(await call('POST /api/runs/{id}/undo', { id, body: { ids }, ...watched(options) })),
    savedPlan: async (id) => readPlan(await client.plans.get(id)),
    retention: async () => retention,
  };
}

/** A plan that the daemon does not keep is sent to it: one from a file, that was made elsewhere or is no longer kept. */
async function carryOut({ call }: Client, plan: Plan, options: ApplyOptions = {}) {
  const query = { forGood: options.forGood ?? false };
  const body = planDocument(plan) as Sent<Body<'POST /api/plans/apply'>> & { readonly id: string };
  try {
    return await call('POST /api/plans/{id}/apply', { id: body.id, query, ...watched(options) });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not-found') throw error;
    if (Buffer.byteLength(JSON.stringify(body)) > MOST_BYTES) throw tooLarge();
    return await call('POST /api/plans/apply', { body, query, ...watched(options) });
  }
}

/** What the daemon takes in one request. */
const MOST_BYTES = 12 * 1024 * 1024;

function tooLarge(): Failure {
  return new Failure('refused', 'The daemon does not keep this plan, and it is too large to be sent.', {
    hint: 'Nothing was changed. Make one there with: coppice plan',
  });
}

function watched({ signal, onOutcome }: ApplyOptions) {
  return { signal, onStep: (step: Step<'POST /api/plans/{id}/apply'>) => onOutcome?.(readOutcome(step)) };
}

function readPlan(document: Answer<'POST /api/plans'>): Plan {
  return readPlanDocument(JSON.stringify(document), 'the answer of the daemon');
}

function applied({ run, done, skipped, freedBytes }: Answer<'POST /api/plans/{id}/apply'>): AppliedRun {
  if (run === undefined) throw new Failure('failed', 'The daemon did not say which run it was.');
  return { run: readRun(run), done, skipped, freedBytes };
}
