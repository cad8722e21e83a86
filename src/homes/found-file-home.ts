import { join } from 'node:path';
import { combineDrivers } from '../checkpoints/combine-drivers.ts';
import { noCheckpoints } from '../checkpoints/no-checkpoints.ts';
import { worktreeDriver } from '../checkpoints/worktree-of.ts';
import { Failure } from '../core/failure.ts';
import type { Problem } from '../core/problem.ts';
import type { SessionFact } from '../core/retention/inventory.ts';
import { foreignStore } from '../core/stores/foreign-store.ts';
import type { SessionReader } from '../core/stores/session-reader.ts';
import { createArchivingDriver } from '../keeping/archive/archiving-driver.ts';
import { openCompanion } from '../keeping/companion.ts';
import type { FileAgent } from '../keeping/file-home/file-agent.ts';
import { createFileDriver } from '../keeping/file-home/file-driver.ts';
import { belongsTo, createFileSessionReader } from '../keeping/file-home/file-session-reader.ts';
import { fileTaken } from '../keeping/file-home/file-taken.ts';
import { type FileHome, openFileHome } from '../keeping/file-home/open-file-home.ts';
import { searchedFileHome } from '../keeping/file-home/searched/searched-file-home.ts';
import { piecesOf } from '../keeping/file-home/session-pieces.ts';
import { createRowSessionReader } from '../keeping/row-home/row-session-reader.ts';
import { recordKind } from './recorded-kind.ts';
import type { AgentRetention, FoundHome, HomeDefaults, HomeOpening, OpenedHome, SessionFile } from './home-kind.ts';

/** What is said of a kind of home whose sessions are files; everything else about it is the same for all of them. */
export interface FileHomeParts {
  readonly name: string;
  /** What people call the agent. */
  readonly agent: string;
  /** Homes of this kind that this person has. Only their places are looked at. */
  readonly places: (env: Readonly<Record<string, string | undefined>>) => readonly string[];
  /** Whether a folder may be such a home, by the names in it. Cheap where it is not; never throws. */
  readonly mayBeHome: (path: string) => boolean;
  /** A new one for each home that is opened: it may remember what it read. Loads what reads the home. */
  readonly load: () => Promise<FileAgent>;
  /** Why a home is only shown and never changed; nothing where it may be. Undefined where it is no home of this kind after all. */
  readonly reasons?: (path: string) => Promise<readonly Problem[] | undefined>;
  readonly defaults?: (path: string) => HomeDefaults;
  /** What is wrong with the settings of the agent. */
  readonly settingsProblems?: (path: string, ...rest: Parameters<OpenedHome['settingsProblems']>) => readonly Problem[];
  /** Which of the facts that not every kind of home records its sessions have, besides tokens and cost. */
  readonly knows?: readonly SessionFact[];
}

export interface DetectedHome {
  readonly reasons: readonly Problem[];
  readonly loaded: FileAgent;
}

/** A home whose sessions are files, found at a path and not opened yet. */
export function foundFileHome(parts: FileHomeParts, path: string, { reasons, loaded }: DetectedHome): FoundHome {
  return {
    kind: parts.name,
    agent: parts.agent,
    path,
    reasons,
    reader: (clock) => readerOf(openFileHome({ home: path, agent: loaded, clock })),
    ...(loaded.rows?.totalsOnly !== true && { format: () => loaded.format() }),
    defaults: () => parts.defaults?.(path) ?? {},
    open: (opening) => openFound(parts, { path, reasons, loaded }, opening),
  };
}

/** What is known wherever agents write down each of their calls. */
const MEASURED: readonly SessionFact[] = ['tokens', 'cost'];

async function openFound(
  parts: FileHomeParts,
  { path, reasons, loaded }: DetectedHome & { readonly path: string },
  { layout, clock, codec, objects, copySession, records: companionStore }: HomeOpening,
): Promise<OpenedHome> {
  const home = openFileHome({ home: path, agent: loaded, clock });
  const companion = await openCompanion(layout, companionStore);
  const records = () => companion.store();
  const store = foreignStore({ reader: readerOf(home), records, refusal: belongsTo(parts.agent) });
  const scanning = { home, companionRoot: layout.root, reasons, companion: layout };
  const driver = createArchivingDriver({
    driverWith: (ledger) => createFileDriver({ ...scanning, ...(ledger && { ledger }) }),
    taken: fileTaken(path, layout),
    store,
    companion: records,
    layout,
    clock,
    codec,
    objects,
    copySession,
  });
  return {
    kind: parts.name,
    agent: parts.agent,
    path,
    reasons,
    store,
    driver,
    checkpoints: () => noCheckpoints(parts.agent),
    wholeDriver: (checkpoints, addCheckpoints) =>
      combineDrivers({
        native: driver,
        checkpoints: () => undefined,
        worktree: worktreeDriver(checkpoints),
        withCheckpoints: addCheckpoints,
      }),
    // Nothing is written to them. Where no transcript tells of calls, they say whether there is something new.
    databases: loaded.rows?.totalsOnly === true ? loaded.rows.databases(path) : [],
    leftoverFolders: () => [...new Set((loaded.shared ?? []).map(({ folder = '' }) => join(path, folder)))],
    copies: async () => [],
    files: async (id) => filesOf(home, id),
    knows: async () => [...(loaded.rows?.unmeasured === true ? [] : MEASURED), ...(parts.knows ?? [])],
    searched: searchedFileHome(home, { records, layout, clock, objects }),
    retention: () => retentionOf(home),
    settingsProblems: (closest) => parts.settingsProblems?.(path, closest) ?? [],
    checkOwn: () => companion.store().check(),
    lastPassAt: async () => undefined,
    notePass: async () => undefined,
    async prepare() {
      if (reasons.length > 0) throw onlyShown(parts.agent, reasons);
      await companion.create();
      recordKind(path, parts.name);
    },
  };
}

/** Its sessions, be they files or rows. */
function readerOf(home: FileHome): SessionReader {
  const files = createFileSessionReader(home);
  const { rows, agent } = home;
  return rows === undefined ? files : createRowSessionReader({ home: home.home, source: agent.name, rows, files });
}

async function filesOf(home: FileHome, id: string): Promise<readonly SessionFile[]> {
  const session = (await home.recentLook()).byId.get(id);
  if (session === undefined) return [];
  const files = piecesOf(session).flatMap((piece) => piece.files);
  return files.map(({ path, sizeBytes }) => ({ path: `${home.home}/${path}`, sizeBytes }));
}

async function retentionOf(home: FileHome): Promise<AgentRetention | undefined> {
  const own = await home.agent.retention?.(home.home);
  if (own === undefined) return undefined;
  const { sorted } = await home.recentLook();
  const times = sorted.sessions.flatMap((session) => {
    const at = own.deletesAt(session, sorted.sessions);
    return at === undefined ? [] : ([[session.id, at]] as const);
  });
  return { setting: own.setting, ...(own.from !== undefined && { from: own.from }), deletesAt: new Map(times) };
}

function onlyShown(agent: string, [first]: readonly Problem[]): Failure {
  return new Failure('refused', `This home of ${agent} is shown and not changed. ${first?.message ?? ''}`.trim(), {
    hint: `Nothing was changed. ${first?.hint ?? ''}`.trim(),
  });
}
