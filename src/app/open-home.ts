import { tmpdir } from 'node:os';
import type { Clock } from '../core/time.ts';
import { type NativeLayout, nativeLayout } from '../homes/native/native-layout.ts';
import { createTranscriptFiles } from '../homes/native/transcript-files.ts';
import { companionPath } from '../keeping/own-layout.ts';
import { releaseBallast } from '../platform/files/ballast.ts';
import { systemClock } from '../platform/machine/system-clock.ts';
import { realPathIfThere } from '../platform/machine/real-path-if-there.ts';
import { mayOnlyRead } from '../platform/sqlite/open-at-rest.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { archiveObjects } from './archive-objects.ts';
import { sessionsConfigFor } from './config/config-for-source.ts';
import type { ConfigOverride } from './config/config-settings.ts';
import { configurationOf } from './config/configuration.ts';
import { loadConfig } from './config/load-config.ts';
import { findForeign, foreignPlaces } from './find-home.ts';
import { Home } from './home.ts';
import type { HomeParts, OtherHome } from './home-parts.ts';
import { homePath, ownHome, prepareHome } from './home-path.ts';
import { readOnlyStore } from './read-only-store.ts';
import { refuseChange } from './refusals/refuse-change.ts';

export interface OpenHomeOptions {
  /** Where the home is; by default `COPPICE_HOME`, else `~/.coppice`. */
  readonly path?: string;
  /** Make the home when it does not exist (the default), or refuse. */
  readonly create?: boolean;
  /** Settings that win over config.yaml and the environment. */
  readonly settings?: readonly ConfigOverride[];
  /** For what is about to remove things and is over soon: on a disk too full even to open the home, give up its reserve. */
  readonly makeRoom?: boolean;
  /**
   * The home is closed soon. On a disk too full for the memory that processes share it is opened all the same, and others who open
   * it wait until it is closed.
   */
  readonly brief?: boolean;
  /** Told, in a sentence, what the home did by itself that takes space, such as laying in a reserve, or could not do on a full disk. */
  readonly tell?: (sentence: string) => void;
  /**
   * Only to look. A mistake in the configuration is then no obstacle: it is in `configIssues`, and while there is any, every
   * change of the home is refused. With `rules` only unknown keys are passed over, because what the rules would do is shown by
   * the others; with `records`, for sessions and what was done with them, everything is. A home in which nothing can be written is
   * opened as well, and `onlyRead` is true.
   */
  readonly reading?: 'records' | 'rules';
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/**
 * Opens a Coppice home, creating it on first use, or the home of another agent as it stands. Close it with `await using` or `close()`.
 *
 * @example
 * await using home = await openHome({ path: '/var/lib/my-agent' });
 * const session = await home.sessions.create({ source: 'cli' });
 */
export async function openHome(options: OpenHomeOptions = {}): Promise<Home> {
  const { env = process.env, clock = systemClock, brief = options.makeRoom === true } = options;
  const path = homePath(options.path, env);
  const found = await findForeign(path);
  const layout = nativeLayout(found === undefined ? path : companionPath(path));
  const request = { file: layout.config, env, overrides: options.settings ?? [] };
  const loaded = await loadConfig({ ...request, passOver: options.reading && PASS_OVER[options.reading] });
  const { issues: configIssues } = loaded;
  const told = options.tell && { tell: options.tell };
  const others = async () => otherHomes(path, { env, clock });
  const ownRoot = async () => (found === undefined ? layout.root : rootOfOwn(env));
  const ownConfig = async () => (found === undefined ? loaded : await loadOwn(env)).config;
  const about = { configuration: configurationOf(request, loaded), configIssues, others, ownRoot, ownConfig, ...told };
  if (found !== undefined) {
    const { openForeign } = await import('./open-foreign.ts');
    return homeOf({ ...(await openForeign(found, { layout, loaded, clock, brief, env })), ...about });
  }
  const { config } = loaded;
  prepareHome(layout.root, { create: options.create ?? true });
  const wanted = (source: string) => sessionsConfigFor(config, source).transcripts === 'on';
  const transcripts = createTranscriptFiles(layout, wanted);
  const onlyRead = options.reading !== undefined && mayOnlyRead(layout.database);
  const scratchDir = onlyRead ? tmpdir() : layout.root;
  const open = () =>
    openSqliteStore({ path: layout.database, scratchDir, clock, transcripts, brief, onlyRead, ...told });
  const store = await (options.makeRoom === true ? withReserve(layout, open) : open());
  const objects = archiveObjects(config.archive, env);
  return homeOf({ layout, config, store, clock, transcripts, onlyRead, objects, ...about });
}

/** The home in use, unless another agent writes that one. */
async function rootOfOwn(env: NonNullable<OpenHomeOptions['env']>): Promise<string> {
  const inUse = homePath(undefined, env);
  return (await findForeign(inUse)) === undefined ? inUse : ownHome();
}

/** A mistake in them is told of by whoever opens that home. */
async function loadOwn(env: NonNullable<OpenHomeOptions['env']>) {
  const { config: file } = nativeLayout(await rootOfOwn(env));
  return loadConfig({ file, env, overrides: [], passOver: PASS_OVER.records });
}

/** Every home of this person but one, to be looked at. */
async function otherHomes(
  path: string,
  { env, clock }: Required<Pick<OpenHomeOptions, 'env' | 'clock'>>,
): Promise<readonly OtherHome[]> {
  const places = await foreignPlaces(env);
  return places
    .filter((place) => realPathIfThere(place) !== realPathIfThere(path))
    .map((place) => ({
      path: place,
      open: () => openHome({ path: place, create: false, reading: 'records', brief: true, env, clock }),
    }));
}

const PASS_OVER = { records: 'mistakes', rules: 'unknown-keys' } as const;

function homeOf(parts: HomeParts): Home {
  const { configIssues = [], onlyRead = false } = parts;
  if (configIssues.length === 0 && !onlyRead) return new Home(parts);
  return new Home({ ...parts, store: readOnlyStore(parts.store, () => refuseChange(parts)) });
}

async function withReserve<T>(layout: NativeLayout, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (releaseBallast(layout.ballast) === 0) throw error;
    return await open();
  }
}
