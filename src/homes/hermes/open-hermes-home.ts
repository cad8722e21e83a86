import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckpointParts } from '../../checkpoints/checkpoint-parts.ts';
import { Failure } from '../../core/failure.ts';
import type { StrayItem } from '../../core/retention/inventory.ts';
import { foreignStore } from '../../core/stores/foreign-store.ts';
import { openCompanion } from '../../keeping/companion.ts';
import { errorCode } from '../../platform/error-code.ts';
import { listNames } from '../../platform/files/list-names.ts';
import type { HomeOpening, OpenedHome, SessionFile } from '../home-kind.ts';
import { createHermesSessionDriver } from './archive/hermes-session-driver.ts';
import { hermesCheckpoints } from './checkpoints/hermes-checkpoints.ts';
import { hermesHomeDriver } from './checkpoints/hermes-home-driver.ts';
import { findDamage } from './database/check-hermes-database.ts';
import { databaseOf, type HermesConnection, openHermes, readHermes } from './database/hermes-connection.ts';
import { lastAutoPruneAt, noteAutoPrune } from './database/state-stamps.ts';
import type { HermesDetection } from './detect-hermes.ts';
import { hermesRetention } from './hermes-retention.ts';
import { hermesSettingsProblems } from './hermes-settings-problems.ts';
import { findHermesCopies } from './sessions/hermes-copies.ts';
import { knownFacts, readIds } from './sessions/hermes-rows.ts';
import { belongsToHermes, createHermesSessionReader } from './sessions/hermes-session-reader.ts';
import { listSessionFiles } from './sessions/session-files.ts';

export interface HermesHomeRequest extends HomeOpening {
  readonly path: string;
  readonly detection: HermesDetection;
}

/** Opens a Hermes home: its sessions are read where they are, and nothing is written before the first change. */
export async function openHermesHome(request: HermesHomeRequest): Promise<OpenedHome> {
  const { path, detection, layout, clock, codec, objects, copySession } = request;
  const companion = await openCompanion(layout, request.records);
  const records = () => companion.store();
  const reader = createHermesSessionReader({ home: path, clock });
  const store = foreignStore({ reader, records, refusal: belongsToHermes });
  const { reasons } = detection;
  const driver = createHermesSessionDriver({
    home: path,
    store,
    companion: records,
    layout,
    clock,
    codec,
    objects,
    copySession,
  });
  const checkpointParts = (parts: CheckpointParts) => ({ ...parts, home: path, layout, store });
  return {
    kind: 'hermes',
    agent: 'Hermes',
    path,
    reasons,
    store,
    driver,
    checkpoints: (parts) => hermesCheckpoints(checkpointParts(parts)),
    wholeDriver: (parts, addCheckpoints) => hermesHomeDriver(checkpointParts(parts), { driver, addCheckpoints }),
    databases: [databaseOf(path)],
    leftoverFolders: () => checkpointFolders(path),
    copies: () => findCopies(path),
    lastPassAt: (now) => lastAutoPruneAt(path, now),
    notePass: (now) => noteAutoPrune(path, now),
    files: async (id) => filesOf(path, id),
    settingsProblems: (closest) => hermesSettingsProblems(path, closest),
    checkOwn: () => companion.store().check(),
    retention: () => hermesRetention(path, { reader, clock }),
    knows: () => readHermes(path, async (hermes) => knownFacts(hermes)),
    async prepare() {
      if (detection.mode === 'report') throw onlyShown(detection);
      await companion.create();
    },
  };
}

function checkpointFolders(home: string): readonly string[] {
  const folder = join(home, 'checkpoints');
  return [folder, ...listNames(folder).map((name) => join(folder, name))];
}

/** A copy may be what a damaged database is mended with. */
async function findCopies(home: string): Promise<readonly StrayItem[]> {
  const damage = await findDamage(home);
  if (damage === undefined) return findHermesCopies(home);
  throw new Failure('refused', `${damage.message} A copy may be what it is mended with, so all of them stay.`, {
    hint: `Nothing was changed. ${damage.hint ?? ''}`.trim(),
  });
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
