import { Failure } from '../../core/failure.ts';
import type { Clock } from '../../core/time.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import type { Home } from '../home.ts';
import type { BackgroundReport } from '../maintenance/background-report.ts';
import { openHome } from '../open-home.ts';
import { type Environment, type KnownHome, knownHomes } from './known-homes.ts';

export interface OthersRequest {
  readonly env: Environment;
  /** The home whose own pass it is not. */
  readonly except: string;
  /** Whether what an agent is about to delete is saved in homes that say nothing about it. */
  readonly rescue: boolean;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** What became of one home. */
export type OtherPass = { readonly known: KnownHome } & (
  | { readonly report: BackgroundReport }
  | { readonly failure: Failure }
);

/**
 * One unattended pass over each of the other homes whose own settings ask for it. A home in which nobody switched that on is left as it
 * is, but for what is saved from its own agent.
 */
export async function* maintainOthers(request: OthersRequest): AsyncGenerator<OtherPass> {
  const { env, except, signal } = request;
  const { homes } = await knownHomes(env);
  for (const known of homes) {
    if (known.ignored || known.empty === true || realPathIfThere(known.path) === realPathIfThere(except)) continue;
    if (signal?.aborted === true) return;
    try {
      const report = await passOver(known, request);
      if (report !== undefined) yield { known, report };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      yield { known, failure: error };
    }
  }
}

async function passOver(known: KnownHome, request: OthersRequest): Promise<BackgroundReport | undefined> {
  const { env, clock, signal } = request;
  await using home = await openHome({ path: known.path, create: false, env, ...(clock && { clock }) });
  const report = await passIn(home, request);
  // Only where somebody searches: an index of all that was ever said is not made unasked.
  await home.sessions.index({ ifThere: true, ...(signal && { signal }) });
  return report;
}

async function passIn(home: Home, request: OthersRequest): Promise<BackgroundReport | undefined> {
  const { rescue, signal } = request;
  if ((home.foreign?.reasons ?? []).length > 0) return undefined;
  if (home.config.sessions.auto_prune) return await home.maintainInBackground({ rescue, ...(signal && { signal }) });
  return await saved(home, request);
}

/** Nothing else is done in a home that is not cut back unattended. */
async function saved(home: Home, { rescue, signal }: OthersRequest): Promise<BackgroundReport | undefined> {
  const done = await (await home.outlook()).rescue({ rescue, ...(signal && { signal }) });
  return done === undefined ? undefined : { status: 'off', rescue: done };
}
