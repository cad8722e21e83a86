import { DEFAULT_CONFIG } from '../../src/app/config/config-defaults.ts';
import type { Config } from '../../src/app/config/config-schema.ts';
import { configurationOf } from '../../src/app/config/configuration.ts';
import { Home } from '../../src/app/home.ts';
import type { HomeParts } from '../../src/app/home-parts.ts';
import { Retention } from '../../src/app/retention/retention.ts';
import type { HomeDriver } from '../../src/core/retention/home-driver.ts';
import type { Journal } from '../../src/core/retention/run.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import { type Clock, MINUTE_MS } from '../../src/core/time.ts';
import { createNativeDriver } from '../../src/homes/native/native-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { createTranscriptFiles } from '../../src/homes/native/transcript-files.ts';
import type { ArchiveObjects } from '../../src/keeping/archive/shelf/object-place.ts';
import { makePrivateDir } from '../../src/platform/files/private-files.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

/** A home with every part of it in reach of a test. */
export interface EngineHome extends AsyncDisposable {
  readonly parts: HomeParts;
  readonly home: Home;
  readonly retention: Retention;
  readonly engine: { readonly driver: HomeDriver; readonly journal: Journal; readonly clock: Clock };
  /** Finishes what a crash cut short, as the next command would. */
  recover(): Promise<void>;
}

/** Without the reserve for full disks: these homes are copied by the hundred. */
const CONFIG = { ...DEFAULT_CONFIG, disk: { ...DEFAULT_CONFIG.disk, ballast_mb: 'never' as const } };

interface EngineHomeOptions {
  readonly clock: Clock;
  readonly objects?: ArchiveObjects | undefined;
  readonly config?: Config;
  readonly wrap?: (store: SessionStore) => SessionStore;
}

/** Opens a home with the default configuration. `wrap` may put something between the engine and the store. */
export async function openEngineHome(
  path: string,
  { clock, objects, config = CONFIG, wrap = (store) => store }: EngineHomeOptions,
): Promise<EngineHome> {
  makePrivateDir(path);
  const layout = nativeLayout(path);
  const transcripts = createTranscriptFiles(layout, () => true);
  const real = await openSqliteStore({ path: layout.database, scratchDir: layout.root, clock, transcripts });
  const configuration = configurationOf({ file: layout.config, env: {} });
  const parts: HomeParts = { layout, config, configuration, store: wrap(real), clock, transcripts, objects };
  const { store } = parts;
  const driver = createNativeDriver({ store, layout, clock, activeGraceMs: 15 * MINUTE_MS, codec: 'brotli', objects });
  const engine = { driver, journal: store.journal, clock };
  const retention = new Retention(parts);
  return {
    parts,
    home: new Home(parts),
    retention,
    engine,
    recover: async () => void (await retention.recovery.finish()),
    async [Symbol.asyncDispose]() {
      await real[Symbol.asyncDispose]();
      transcripts[Symbol.dispose]();
    },
  };
}
