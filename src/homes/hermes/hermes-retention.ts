import { join } from 'node:path';
import { isJsonObject } from '../../core/json.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import { type Clock, DAY_MS, type EpochMs, HOUR_MS } from '../../core/time.ts';
import type { AgentRetention } from '../home-kind.ts';
import { lastAutoPruneAt } from './database/state-stamps.ts';
import { readHermesConfig } from './read-hermes-config.ts';
import { ARCHIVED_TAG } from './sessions/hermes-session-item.ts';

/**
 * What Hermes is set to delete when it starts: sessions that ended, and in which nobody spoke for so long, once a day or as often as it
 * is set to. Undefined unless its settings say that it does: whether it does so by itself depends on its version.
 */
export async function hermesRetention(
  home: string,
  { reader, clock }: { readonly reader: SessionReader; readonly clock: Clock },
): Promise<AgentRetention | undefined> {
  const file = join(home, 'config.yaml');
  const config = readHermesConfig(file);
  const section = isJsonObject(config) ? config['sessions'] : undefined;
  if (!isJsonObject(section) || section['auto_prune'] !== true) return undefined;
  const days = numberOr(section['retention_days'], RETENTION_DAYS);
  const hours = numberOr(section['min_interval_hours'], INTERVAL_HOURS);
  const lastAt = await lastAutoPruneAt(home, clock.now());
  const notBefore = lastAt === undefined ? 0 : lastAt + hours * HOUR_MS;
  const deletesAt = new Map<string, EpochMs>();
  for await (const { id, endedAt, lastActiveAt, pinned, tags } of reader.list({ sort: 'stored' })) {
    // What a person put away in Hermes stays, and so does what is still open.
    if (endedAt === undefined || pinned || tags.includes(ARCHIVED_TAG)) continue;
    deletesAt.set(id, Math.max(lastActiveAt + days * DAY_MS, notBefore));
  }
  return { setting: `sessions.auto_prune true, sessions.retention_days ${days}`, from: file, deletesAt };
}

/** What Hermes goes by where nothing is set. */
const RETENTION_DAYS = 90;
const INTERVAL_HOURS = 24;

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
