import { DAY_MS } from '../../core/time.ts';
import type { HomeParts } from '../home-parts.ts';
import { threatenedSessions } from '../machine/threatened-sessions.ts';
import type { Retention } from '../retention/retention.ts';
import { intervalMs } from './maintenance-memory.ts';

/** What was saved from the agent of a home. */
export interface Rescue {
  /** Sessions that are in the archive now. */
  readonly archived: number;
  /** Sessions that could not be archived, or that are held and stay where they are. */
  readonly left: number;
  /** The run that did it. */
  readonly runId?: string;
}

export interface RescueOptions {
  readonly signal?: AbortSignal;
  /** Somebody said so for all homes; what is set for this home itself goes first. */
  readonly rescue?: boolean;
}

/**
 * Archives what the agent of a home will delete before the next pass although our rules keep it, where `homes.rescue` says so. What is in
 * use, pinned or held stays as ever. Undefined where there is nothing to save.
 */
export async function rescueThreatened(
  parts: HomeParts,
  engine: Pick<Retention, 'scan' | 'plan' | 'apply'>,
  { signal, rescue }: RescueOptions = {},
): Promise<Rescue | undefined> {
  if (!(await wantsRescue(parts, rescue))) return undefined;
  const own = await parts.foreign?.retention?.();
  if (own === undefined) return undefined;
  const { config, clock } = parts;
  const until = clock.now() + intervalMs(config) + A_DAY_TO_SPARE_MS;
  const inventory = await engine.scan(signal && { signal });
  const threatened = new Set(threatenedSessions(inventory, own, { until, config }).map(({ session }) => session.id));
  if (threatened.size === 0) return undefined;
  const plan = await engine.plan({ kind: 'archive', filter: {}, before: clock.now() }, signal && { signal });
  const decisions = plan.decisions.filter(({ item, action }) => action === 'archive' && threatened.has(item.id));
  if (decisions.length === 0) return { archived: 0, left: threatened.size };
  const { run, done } = await engine.apply({ ...plan, decisions }, signal && { signal });
  return { archived: done, left: threatened.size - done, runId: run.id };
}

/** A pass may come late, or be missed once. */
const A_DAY_TO_SPARE_MS = DAY_MS;

/** What is set for this home itself goes before what was said for all of them. */
export async function wantsRescue({ config, configuration }: HomeParts, rescue = false): Promise<boolean> {
  if (config.homes.rescue || !rescue) return config.homes.rescue;
  const { settings } = await configuration.show();
  return settings.some(({ key, level }) => key === 'homes.rescue' && level === 'default');
}
