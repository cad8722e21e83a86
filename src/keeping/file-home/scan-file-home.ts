import { relative } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import type { ScanOptions } from '../../core/retention/home-driver.ts';
import {
  diskPartsSum,
  type DiskParts,
  type Inventory,
  type SessionItem,
  type StrayItem,
} from '../../core/retention/inventory.ts';
import { totalTokens } from '../../core/sessions/session.ts';
import { freeBytes } from '../../platform/machine/file-system-facts.ts';
import { ARCHIVE } from '../archive/archiving-driver.ts';
import { companionSize } from '../companion-size.ts';
import { rowItem } from '../row-home/row-facts.ts';
import type { SessionCount } from './count-session.ts';
import type { FoundSession, FoundStray } from './file-agent.ts';
import { classifyFiles, sumDisk } from './file-classes.ts';
import { fileSessionFacts } from './file-session-facts.ts';
import type { Description } from './describe-sessions.ts';
import type { LookedHome } from './look-at-home.ts';
import type { FileHome } from './open-file-home.ts';
import { fileFingerprint, newestOf, pieceBytes, strayFingerprint } from './session-pieces.ts';

export interface FileScanParts {
  readonly home: FileHome;
  /** Where Coppice keeps its own records about it. */
  readonly companionRoot: string;
  /** Why it is only shown. */
  readonly reasons: readonly Problem[];
}

/** Reads a home whose sessions are files into an inventory: one walk, and a bounded look into each session. It changes nothing. */
export async function scanFileHome(parts: FileScanParts, options: ScanOptions = {}): Promise<Inventory> {
  const { home, reasons } = parts;
  const { signal, onProgress, onFile } = options;
  const scannedAt = home.clock.now();
  const look = await home.look(signal);
  const { tree, sorted } = look;
  const sessions: SessionItem[] = [];
  const problems: Problem[] = [...reasons, ...sorted.problems, ...tree.unread.map(cannotRead)];
  for await (const [session, description] of home.describer.all(sorted.sessions)) {
    signal?.throwIfAborted();
    if (description.problem !== undefined) problems.push(description.problem);
    sessions.push(sessionItem(home, session, description));
    onProgress?.(sessions.length);
  }
  const rows = await rowItems(home, signal);
  sessions.push(...rows.items);
  problems.push(...rows.problems);
  onProgress?.(sessions.length);
  const classes = classifyFiles(look, onFile);
  const size = await diskParts(parts, look, { rows: rows.items, signal });
  return {
    home: { id: home.home, path: home.home },
    scannedAt,
    sessions,
    strays: sorted.strays.filter(({ kind, path }) => kind !== 'debris' || !path.startsWith(ARCHIVE)).map(strayItem),
    trash: [],
    archives: [],
    checkpoints: [],
    checkpointBytes: 0,
    problems: [...problems, ...classes.problems],
    disk: { usedBytes: diskPartsSum(size), freeBytes: freeBytes(home.home), parts: size },
    knows: [],
    files: classes.classes,
    doubts: reasons.length > 0 ? ['activity-unknown'] : sorted.doubts,
  };
}

/** Conversations are what stays when files of a session go, as the rows of a database do elsewhere. */
function sessionItem({ agent, counter }: FileHome, session: FoundSession, description: Description): SessionItem {
  const count = counter.known(session);
  const facts = fileSessionFacts(agent.name, session, { described: description, count });
  const { transcript, part, spare } = pieceBytes(session);
  const { usage: _, toolCallCount: __, contentBytes: ___, transcriptBytes: ____, dumpBytes: _____, ...known } = facts;
  return {
    ...known,
    kind: 'session',
    ...countOf(count, description),
    active: session.active,
    ...((session.unreadable === true || description.problem !== undefined) && { unreadable: true }),
    bytes: { rows: transcript, transcript: 0, dumps: spare, other: part },
    fingerprint: fileFingerprint(session),
  };
}

/** Rules about sessions with little in them go by what is certain alone. */
function countOf(
  count: SessionCount | undefined,
  { messageCount }: Description,
): Pick<SessionItem, 'messageCount' | 'uncounted' | 'tokens' | 'costUsd'> {
  if (count !== undefined) {
    const { usage } = count;
    return { messageCount: count.messageCount, tokens: totalTokens(usage), costUsd: usage.costUsd };
  }
  return messageCount === undefined ? { messageCount: 0, uncounted: true } : { messageCount };
}

/** Sessions that are rows of a database; none where all are files. */
async function rowItems(
  { rows, agent: { name } }: FileHome,
  signal?: AbortSignal,
): Promise<{ readonly items: readonly SessionItem[]; readonly problems: readonly Problem[] }> {
  if (rows === undefined) return { items: [], problems: [] };
  const { sessions, problems } = await rows.look(signal);
  return { items: sessions.map((row) => rowItem({ source: name, agent: rows.agent }, row)), problems };
}

function strayItem({ kind, path, files }: FoundStray): StrayItem {
  return {
    kind,
    id: path,
    lastActiveAt: newestOf(files),
    sizeBytes: sumDisk(files),
    fingerprint: strayFingerprint(files),
  };
}

function cannotRead({ path, error }: { readonly path: string; readonly error: string }): Problem {
  return { kind: 'unreadable', subject: path, message: `${path} cannot be read: ${error.replace(/\.$/, '')}.` };
}

interface Measuring {
  readonly rows: readonly SessionItem[];
  readonly signal: AbortSignal | undefined;
}

/** Every byte of the home in exactly one part, Coppice's own records included. */
async function diskParts(
  { companionRoot, home }: FileScanParts,
  look: LookedHome,
  { rows, signal }: Measuring,
): Promise<DiskParts> {
  const { tree, sorted } = look;
  const own = await companionSize(companionRoot, signal);
  const files = sorted.sessions.reduce((sum, session) => {
    const { transcript, part, spare } = pieceBytes(session);
    return sum + transcript + part + spare;
  }, 0);
  const { databaseBytes, logBytes } = databaseSizes(home, look);
  // What was written last is in the log alone, so rows may hold more than the database does.
  const inRows = Math.min(
    databaseBytes,
    rows.reduce((sum, { bytes }) => sum + bytes.rows, 0),
  );
  const strays = sorted.strays.reduce((sum, { files: of }) => sum + sumDisk(of), 0);
  const all = sumDisk(tree.files.values()) + tree.folderBytes + tree.oddBytes;
  return {
    ...own,
    sessions: files + inRows,
    strays,
    index: own.index + databaseBytes - inRows,
    log: own.log + logBytes,
    other: own.other + all - files - strays - databaseBytes - logBytes,
  };
}

/** What the databases of its agent take on the disk, where they hold its sessions. */
function databaseSizes({ home, rows }: FileHome, { tree }: LookedHome): { databaseBytes: number; logBytes: number } {
  const paths = rows?.agent.databases(home).map((path) => relative(home, path)) ?? [];
  const sum = (suffix: string) => sumDisk(paths.flatMap((path) => tree.files.get(path + suffix) ?? []));
  return { databaseBytes: sum(''), logBytes: sum('-wal') };
}
