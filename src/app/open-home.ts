import type { Clock } from '../core/time.ts';
import { detectHermes } from '../homes/hermes/detect-hermes.ts';
import { type NativeLayout, nativeLayout } from '../homes/native/native-layout.ts';
import { createTranscriptFiles } from '../homes/native/transcript-files.ts';
import { releaseBallast } from '../platform/ballast.ts';
import { systemClock } from '../platform/system-clock.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { sessionsConfigFor } from './config/config-for-source.ts';
import type { ConfigOverride } from './config/config-settings.ts';
import { configurationOf } from './config/configuration.ts';
import { loadConfig } from './config/load-config.ts';
import { Home } from './home.ts';
import { companionPath, homePath, prepareHome } from './home-path.ts';

export interface OpenHomeOptions {
  /** Where the home is; by default `COPPICE_HOME`, else `~/.coppice`. */
  readonly path?: string;
  /** Make the home when it does not exist (the default), or refuse. */
  readonly create?: boolean;
  /** Settings that win over config.yaml and the environment. */
  readonly settings?: readonly ConfigOverride[];
  /** For what is about to remove things: on a disk too full even to open the home, give up its reserve. */
  readonly makeRoom?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/**
 * Opens a Coppice home, creating it on first use, or a Hermes home as it stands. Close it with `await using` or `close()`.
 *
 * @example
 * await using home = await openHome({ path: '/var/lib/my-agent' });
 * const session = await home.sessions.create({ source: 'cli' });
 */
export async function openHome(options: OpenHomeOptions = {}): Promise<Home> {
  const { env = process.env, clock = systemClock } = options;
  const path = homePath(options.path, env);
  const detection = await detectHermes(path);
  const layout = nativeLayout(detection === undefined ? path : companionPath(path));
  const request = { file: layout.config, env, overrides: options.settings ?? [] };
  const loaded = await loadConfig(request);
  const configuration = configurationOf(request, loaded);
  if (detection !== undefined) {
    const { openHermesHome } = await import('./hermes/open-hermes-home.ts');
    return new Home({ ...(await openHermesHome({ path, detection, layout, loaded, clock })), configuration });
  }
  const { config } = loaded;
  prepareHome(layout.root, { create: options.create ?? true });
  const wanted = (source: string) => sessionsConfigFor(config, source).transcripts === 'on';
  const transcripts = createTranscriptFiles(layout, wanted);
  const open = () => openSqliteStore({ path: layout.database, scratchDir: layout.root, clock, transcripts });
  const store = await (options.makeRoom === true ? withReserve(layout, open) : open());
  return new Home({ layout, config, configuration, store, clock, transcripts });
}

async function withReserve<T>(layout: NativeLayout, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!releaseBallast(layout.ballast)) throw error;
    return await open();
  }
}
