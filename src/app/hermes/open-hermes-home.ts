import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { foreignStore } from '../../core/sessions/foreign-store.ts';
import type { Clock } from '../../core/time.ts';
import { type HermesConnection, openHermes, readHermes } from '../../homes/hermes/database/hermes-connection.ts';
import { lastAutoPruneAt, noteAutoPrune } from '../../homes/hermes/database/state-stamps.ts';
import type { HermesDetection } from '../../homes/hermes/detect-hermes.ts';
import { knownFacts, readIds } from '../../homes/hermes/sessions/hermes-rows.ts';
import { belongsToHermes, createHermesSessionReader } from '../../homes/hermes/sessions/hermes-session-reader.ts';
import { listSessionFiles } from '../../homes/hermes/sessions/session-files.ts';
import type { NativeLayout } from '../../homes/native/native-layout.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { HomeParts } from '../home-parts.ts';
import type { SessionFile } from '../sessions/session-files.ts';
import { openCompanion } from './companion.ts';
import { hermesDefaults } from './hermes-defaults.ts';
import { createHermesSessionDriver } from './hermes-session-driver.ts';

export interface HermesHomeRequest {
  readonly path: string;
  readonly detection: HermesDetection;
  /** Where Coppice keeps its own records about it. */
  readonly layout: NativeLayout;
  readonly loaded: LoadedConfig;
  readonly clock: Clock;
  /** It is closed soon: on a full disk others may wait for that. */
  readonly brief?: boolean;
}

/** Opens a Hermes home: its sessions are read where they are, and nothing is written before the first change. */
export async function openHermesHome({
  path,
  detection,
  layout,
  loaded,
  clock,
  brief = false,
}: HermesHomeRequest): Promise<Omit<HomeParts, 'configuration' | 'configIssues'>> {
  const companion = await openCompanion(layout, { clock, brief });
  const reader = createHermesSessionReader({ home: path, clock });
  const store = foreignStore({ reader, records: () => companion.store(), refusal: belongsToHermes });
  const { reasons } = detection;
  return {
    layout,
    config: hermesDefaults(path, loaded),
    store,
    clock,
    transcripts: { [Symbol.dispose]: () => undefined },
    foreign: {
      kind: 'hermes',
      path,
      reasons,
      driver: createHermesSessionDriver({
        home: path,
        store,
        companion: () => companion.store(),
        layout,
        clock,
        codec: loaded.config.archive.codec,
      }),
      lastPassAt: (now) => lastAutoPruneAt(path, now),
      notePass: (now) => noteAutoPrune(path, now),
      files: (id) => filesOf(path, id),
      checkOwn: () => companion.store().check(),
      knows: () => readHermes(path, async (hermes) => knownFacts(hermes)),
      async prepare() {
        if (detection.mode === 'report') throw onlyShown(detection);
        await companion.create();
      },
    },
  };
}

function onlyShown({ reasons }: HermesDetection): Failure {
  const [first] = reasons;
  return new Failure('refused', `This Hermes home is shown and not changed. ${first?.message ?? ''}`.trim(), {
    hint: `Nothing was changed. ${first?.hint ?? ''}`.trim(),
  });
}

function filesOf(home: string, id: string): SessionFile[] {
  const files = listSessionFiles(home, idsOf(home)).of(id);
  return files.flatMap(({ name }) => {
    const path = join(home, 'sessions', name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true ? [{ path, sizeBytes: stat.size }] : [];
  });
}

/** None where the database cannot be read: the scan says so, and what else is there can be shown all the same. */
function idsOf(home: string): readonly string[] {
  let hermes: HermesConnection | undefined;
  try {
    hermes = openHermes(home);
    return readIds(hermes);
  } catch (error) {
    if (!errorCode(error)?.startsWith('SQLITE_')) throw error;
    return [];
  } finally {
    hermes?.close();
  }
}
