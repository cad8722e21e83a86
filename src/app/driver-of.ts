import type { HomeDriver } from '../core/retention/home-driver.ts';
import { MINUTE_MS } from '../core/time.ts';
import { createNativeDriver } from '../homes/native/native-driver.ts';
import { hermesHomeDriver } from './hermes/hermes-home-driver.ts';
import { homeDriver } from './home-driver.ts';
import type { HomeParts } from './home-parts.ts';

/** The driver of a home of either kind, with its checkpoints. */
export function driverOf(parts: HomeParts): HomeDriver {
  if (parts.foreign !== undefined) return hermesHomeDriver(parts, parts.foreign);
  const { store, layout, clock, config } = parts;
  const activeGraceMs = config.sessions.active_grace_minutes * MINUTE_MS;
  return homeDriver(parts, createNativeDriver({ store, layout, clock, activeGraceMs, codec: config.archive.codec }));
}
