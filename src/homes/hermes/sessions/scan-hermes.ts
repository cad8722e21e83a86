import { errorText } from '../../../core/error-text.ts';
import type { Problem } from '../../../core/problem.ts';
import type { ScanOptions } from '../../../core/retention/home-driver.ts';
import { diskPartsSum, type Inventory, type SessionFact, type SessionItem } from '../../../core/retention/inventory.ts';
import type { EpochMs } from '../../../core/time.ts';
import { freeBytes } from '../../../platform/machine/file-system-facts.ts';
import { type HermesDatabase, readHermes } from '../database/hermes-connection.ts';
import { detectHermes, type HermesDetection } from '../detect-hermes.ts';
import type { HermesClass } from './hermes-growers.ts';
import { evidenceOf, type HermesLiveness, readLiveness } from './hermes-liveness.ts';
import { knownFacts, readIds, readMessageSums, readSessions } from './hermes-rows.ts';
import { hermesSessionItem, NOTHING_OWNED } from './hermes-session-item.ts';
import { fileClasses, type HermesTree, treeParts, walkHermes } from './walk-hermes.ts';

/** A scan of a Hermes home: what the policy decides about, and what else is there. */
export interface HermesScan {
  readonly inventory: Inventory;
  readonly detection: HermesDetection;
  /** Everything outside of sessions by sort, checkpoints included. */
  readonly classes: readonly HermesClass[];
  readonly gatewayAlive: boolean;
}

export interface HermesScanParts {
  readonly home: string;
  readonly now: EpochMs;
}

/**
 * Reads a Hermes home into an inventory: one pass over its tables in short steps, one walk over its files. It changes nothing,
 * takes no lock that Hermes would wait for, and leaves no file behind. Undefined when the directory is no Hermes home.
 */
export async function scanHermes(
  { home, now }: HermesScanParts,
  options: ScanOptions = {},
): Promise<HermesScan | undefined> {
  const detection = await detectHermes(home);
  if (detection === undefined) return undefined;
  const found = detection.shape === undefined ? undefined : await readAll({ home, now }, options);
  const { sessions, knows, tree, liveness, problems } = found ?? withoutRows(home, options);
  const parts = treeParts(
    tree,
    sessions.reduce((sum, { bytes }) => sum + bytes.rows, 0),
  );
  const certain = detection.mode === 'manage' && liveness?.problems.length === 0;
  return {
    inventory: {
      home: { id: home, path: home },
      scannedAt: now,
      sessions,
      knows,
      // Without the rows every file would look like an orphan.
      strays: liveness === undefined ? [] : tree.strays,
      trash: [],
      archives: [],
      // Its checkpoints are listed by `listHermesCheckpoints`: no rule of the policy speaks about them here.
      checkpoints: [],
      checkpointBytes: 0,
      problems: [...detection.reasons, ...problems, ...(liveness?.problems ?? []), ...tree.problems],
      disk: { usedBytes: diskPartsSum(parts), freeBytes: freeBytes(home), parts },
      files: fileClasses(tree),
      doubts: certain ? [] : ['activity-unknown'],
    },
    detection,
    classes: tree.classes,
    gatewayAlive: liveness?.gatewayAlive ?? false,
  };
}

interface Found {
  readonly sessions: readonly SessionItem[];
  readonly knows: readonly SessionFact[];
  readonly tree: HermesTree;
  /** Absent when the rows could not be read. */
  readonly liveness?: HermesLiveness;
  readonly problems: readonly Problem[];
}

function withoutRows(home: string, { signal }: ScanOptions): Found {
  return { sessions: [], knows: [], tree: walkHermes(home, [], signal), problems: [] };
}

async function readAll({ home, now }: HermesScanParts, options: ScanOptions): Promise<Found> {
  try {
    return await readHermes(home, async (hermes) => {
      const tree = walkHermes(home, readIds(hermes), options.signal);
      const liveness = readLiveness(home, hermes, now);
      return { tree, liveness, ...(await readItems(hermes, { tree, liveness }, options)) };
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    return { ...withoutRows(home, options), problems: [broken(error)] };
  }
}

async function readItems(
  hermes: HermesDatabase,
  { tree, liveness }: { readonly tree: HermesTree; readonly liveness: HermesLiveness },
  { signal, onProgress }: ScanOptions,
): Promise<Pick<Found, 'sessions' | 'problems' | 'knows'>> {
  const sums = await readMessageSums(hermes, signal);
  const sessions: SessionItem[] = [];
  const problems: Problem[] = [];
  for await (const row of readSessions(hermes, sums)) {
    signal?.throwIfAborted();
    if ('badId' in row) problems.push(badId(row.badId));
    else {
      if (row.unreadable) problems.push(oddRow(row.id));
      const evidence = evidenceOf(liveness, row);
      sessions.push(hermesSessionItem(row, evidence, tree.bytesOf.get(row.id) ?? NOTHING_OWNED));
      tree.bytesOf.delete(row.id);
    }
    onProgress?.(sessions.length);
  }
  for (const [id, { count }] of sums) problems.push(lostMessages(id, count));
  return { sessions, problems, knows: knownFacts(hermes) };
}

function broken(error: unknown): Problem {
  const why = errorText(error);
  return {
    kind: 'database-unreadable',
    subject: 'state.db',
    message: `Its sessions cannot be read: ${why}.`,
    hint: 'Run hermes sessions repair --check-only to see what is wrong.',
  };
}

function badId(place: number): Problem {
  const message = `The session in row ${place} has an id that is not text. It is left alone.`;
  return { kind: 'bad-id', subject: `sessions row ${place}`, message };
}

function oddRow(id: string): Problem {
  const message =
    'Its row holds values that Hermes does not write, so its age and its family are not certain. It is kept.';
  return { kind: 'odd-row', subject: id, message };
}

function lostMessages(id: string, count: number): Problem {
  return {
    kind: 'lost-messages',
    subject: id,
    message: `${count} messages belong to a session that does not exist. They are left alone.`,
    hint: 'hermes sessions recover can give them a session again.',
  };
}
