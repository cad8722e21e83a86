import type { CheckpointParts } from '../checkpoints/checkpoint-parts.ts';
import type { HomeCheckpoints } from '../checkpoints/home-checkpoints.ts';
import type { Problem } from '../core/problem.ts';
import type { HomeDriver } from '../core/retention/home-driver.ts';
import type { Inventory, SessionFact, StrayItem } from '../core/retention/inventory.ts';
import type { ArchiveCodec } from '../core/stores/session-archive.ts';
import type { SearchedHome } from '../core/sessions/searched-home.ts';
import type { SessionReader, StoreCheck } from '../core/stores/session-reader.ts';
import type { SessionStore } from '../core/stores/session-store.ts';
import type { TranscriptFormat } from '../core/sessions/transcript-format.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import type { ArchiveObjects } from '../keeping/archive/shelf/object-place.ts';
import type { CompanionStore } from '../keeping/companion.ts';
import type { CopySession } from '../keeping/copy-session.ts';
import type { OwnLayout } from '../keeping/own-layout.ts';

/** A kind of home: where its homes are, how one is known, and how it is opened. Nothing outside its folder knows more of it. */
export interface HomeKind {
  readonly name: string;
  readonly agent: string;
  /** Homes of this kind that this person has. Only their places are looked at, so that asking costs nothing. */
  places(env: Readonly<Record<string, string | undefined>>): readonly string[];
  /** Looks whether a folder is such a home. Cheap where it is not, and changes nothing. */
  detect(path: string): Promise<FoundHome | undefined>;
}

/** A home of another agent that was found, and not opened yet. */
export interface FoundHome {
  readonly kind: string;
  readonly agent: string;
  readonly path: string;
  /** Why it is only shown and never changed; empty when it may be. */
  readonly reasons: readonly Problem[];
  /** Its sessions, for who only reads them. Undefined where they cannot be read; the reasons say why. */
  reader(clock: Clock): SessionReader | undefined;
  /** How its conversations are read where they are files. Undefined where its reader alone tells of them. */
  readonly format?: () => Promise<TranscriptFormat>;
  /** What its agent has set, for rules that nobody set in Coppice. */
  defaults(): HomeDefaults;
  open(opening: HomeOpening): Promise<OpenedHome>;
}

/** Rules that hold where nobody set others. */
export interface HomeDefaults {
  readonly keepTags?: readonly string[];
  readonly maxSnapshots?: number;
  readonly maxTotalSizeMb?: number;
  readonly maxFileSizeMb?: number;
}

export interface HomeOpening {
  /** Where Coppice keeps its own records about it. */
  readonly layout: OwnLayout;
  readonly clock: Clock;
  readonly codec: ArchiveCodec;
  /** Where archived sessions go; into Coppice's own records beside the home where this is absent. */
  readonly objects?: ArchiveObjects | undefined;
  /** Opens a database of Coppice's own records, or an empty one that is never written. */
  readonly records: CompanionStore;
  readonly copySession: CopySession;
}

/** What an agent is set to delete by itself. */
export interface AgentSetting {
  /** In the agent's own words for it, such as `cleanupPeriodDays 30`. */
  readonly setting: string;
  /** Where it is set, for people. Absent where nobody set it, so that the agent's own default holds. */
  readonly from?: string;
}

/** How an agent cuts its own home back. */
export interface AgentRetention extends AgentSetting {
  /** By the id of each session that it would delete, when it would at the earliest. */
  readonly deletesAt: ReadonlyMap<string, EpochMs>;
}

/** A file that a session owns. */
export interface SessionFile {
  readonly path: string;
  readonly sizeBytes: number;
}

export type AddCheckpoints = (inventory: Inventory) => Promise<Inventory>;

/** A home that another agent writes, open. */
export interface OpenedHome {
  readonly kind: string;
  /** What people call its agent. */
  readonly agent: string;
  readonly path: string;
  /** Why it is only shown and never changed; empty when it may be. */
  readonly reasons: readonly Problem[];
  /** Its sessions together with what Coppice keeps about them. */
  readonly store: SessionStore;
  /** Takes its sessions and files away and brings them back. */
  readonly driver: HomeDriver;
  /** What its agent saved of working directories. */
  checkpoints(parts: CheckpointParts): HomeCheckpoints;
  /** The driver of all of it. `addCheckpoints` completes an inventory. */
  wholeDriver(parts: CheckpointParts, addCheckpoints: AddCheckpoints): HomeDriver;
  /** Its databases, for which a full disk needs a reserve. */
  readonly databases: readonly string[];
  /** Folders in which a process of Coppice that died may have left something. */
  leftoverFolders(): readonly string[];
  /** Copies that its agent put aside. Refuses where one may be needed. */
  copies(): Promise<readonly StrayItem[]>;
  files(id: string): Promise<readonly SessionFile[]>;
  /** What is said in it, for the search index over all homes. Absent where `store` searches by itself. */
  readonly searched?: SearchedHome;
  /** Which of the facts that not every kind of home records are known of its sessions. */
  knows(): Promise<readonly SessionFact[]>;
  /** What its agent is set to delete by itself. Undefined where it never deletes a session, absent where Coppice does not know. */
  retention?(): Promise<AgentRetention | undefined>;
  /** What is wrong with the settings of its agent. `closest` finds the word that was meant. */
  settingsProblems(closest: (word: string, words: readonly string[]) => string | undefined): readonly Problem[];
  /** Looks for damage in what Coppice keeps about it. Changes nothing. */
  checkOwn(): AsyncIterable<StoreCheck>;
  /** When its agent, or Coppice in its place, last cut it back unattended. A time in the future is no answer. */
  lastPassAt(now: EpochMs): Promise<EpochMs | undefined>;
  /** Notes an unattended pass where its agent looks, so that it does not do the same once more. */
  notePass(now: EpochMs): Promise<void>;
  /** Comes before every change: refuses where there are reasons, and makes the place for Coppice's own records. */
  prepare(): Promise<void>;
}
