import type { Config } from '../../src/app/config/config-schema.ts';
import { configurationOf } from '../../src/app/config/configuration.ts';
import { loadConfig } from '../../src/app/config/load-config.ts';
import { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import type { RouteBook } from '../../src/core/gateway/route-book.ts';
import { isRemoval } from '../../src/core/retention/plan.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import type { Clock } from '../../src/core/time.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { createTranscriptFiles } from '../../src/homes/native/transcript-files.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

/** Bugs that the simulation can plant between the program and its ports, to see that it finds them. */
export type FaultName = 'guard-latches' | 'trash-stays' | 'routes-forgotten' | 'garbage-uncounted';

/** Opens a home as programs do, or one whose store has these faults. */
export async function openFaulty(path: string, clock: Clock, faults: readonly FaultName[]): Promise<Home> {
  if (faults.length === 0) return openHome({ path, clock, env: {} });
  const layout = nativeLayout(path);
  const request = { file: layout.config, env: {} };
  const loaded = await loadConfig(request);
  const transcripts = createTranscriptFiles(layout, (source) => source !== 'cron');
  const real = await openSqliteStore({ path: layout.database, scratchDir: layout.root, clock, transcripts });
  const store = withFaults(real, faults);
  const config = faults.includes('garbage-uncounted') ? countingLess(loaded.config) : loaded.config;
  return new Home({
    layout,
    config,
    configuration: configurationOf(request, loaded),
    store,
    clock,
    transcripts,
  });
}

function withFaults(store: SessionStore, faults: readonly FaultName[]): SessionStore {
  const has = (name: FaultName) => faults.includes(name);
  return laidOver(store, {
    ...(has('trash-stays') && { trash: laidOver(store.trash, { drop: async () => undefined }) }),
    ...(has('routes-forgotten') && {
      routes: forgetful(store.routes),
    }),
  });
}

/** Who leaves three quarters of what is there out of the count, such as garbage, thinks that four times as much fits. */
function countingLess(config: Config): Config {
  const { max_total_size_mb: limit } = config.checkpoints;
  return {
    ...config,
    checkpoints: { ...config.checkpoints, max_total_size_mb: limit * 4 },
  };
}

/** The same port with some of its parts replaced. Methods keep their own `this`. */
function laidOver<T extends object>(port: T, replaced: Partial<T>): T {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A key is let go of as soon as it was given to a session, so nothing holds the conversation that answers it. */
function forgetful(routes: RouteBook): RouteBook {
  return laidOver(routes, {
    async settle(key, choose) {
      const session = await routes.settle(key, choose);
      await routes.forget(key);
      return session;
    },
  });
}

/** A pass under a guard that refuses whatever is too much at once, and so refuses more the next time. */
export async function latchingPass(home: Home): Promise<void> {
  const plan = await home.plan();
  const going = plan.decisions.filter(isRemoval).length;
  if (going > 50 && going > plan.decisions.length / 5) return;
  await home.apply(plan);
}
