import type { TreeFile } from '../../keeping/file-home/home-tree.ts';

/** What the name of a rollout says: the file that tells of a thread, or of the rest of one after it was taken back. */
export interface RolloutPlace {
  /** The id of the thread. */
  readonly thread: string;
  /** The id that others name it by: that of the thread, or its own where the thread was taken back. */
  readonly rollout: string;
  /** When it was begun, as text that sorts. */
  readonly begun: string;
  readonly archived: boolean;
  readonly compressed: boolean;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ROLLOUT = new RegExp(
  `^(?:sessions/\\d{4}/\\d\\d/\\d\\d|(archived_sessions))/rollout-(\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d)-(${UUID})(?:_(${UUID}))?\\.jsonl(\\.zst)?$`,
);

/** Undefined for what is no rollout. */
export function rolloutPlace(path: string): RolloutPlace | undefined {
  const [match, archived, begun = '', thread = '', rollout, compressed] = ROLLOUT.exec(path) ?? [];
  if (match === undefined) return undefined;
  return {
    thread,
    rollout: rollout ?? thread,
    begun,
    archived: archived !== undefined,
    compressed: compressed !== undefined,
  };
}

/** What is beside the rollouts and of one thread alone. */
export interface PartPlace {
  readonly thread: string;
  /** The file itself, or the folder that moves as one. */
  readonly path: string;
  readonly secret: boolean;
}

/** The same with its files. */
export interface ThreadPart extends PartPlace {
  readonly files: readonly TreeFile[];
}

const SNAPSHOT = new RegExp(`^shell_snapshots/(${UUID})\\.[^/]+$`);
const IMAGE = new RegExp(`^(generated_images/(${UUID}))/.`);

export function partPlace(path: string): PartPlace | undefined {
  // Everything that was exported in the shell of its user, keys included.
  const [, snapshotOf] = SNAPSHOT.exec(path) ?? [];
  if (snapshotOf !== undefined) return { thread: snapshotOf, path, secret: true };
  const [, folder = '', imageOf] = IMAGE.exec(path) ?? [];
  return imageOf === undefined ? undefined : { thread: imageOf, path: folder, secret: false };
}

/** The rest of what Codex is known to write. What is not here is unknown. */
const OTHERS: readonly (readonly [name: string, fits: RegExp, unbounded: boolean])[] = [
  ['credentials', /^(auth\.json|\.credentials\.json|.*\.key)$/, false],
  [
    'settings',
    /^([\w.-]+\.config|config|managed_config|requirements)\.toml$|^AGENTS(\.override)?\.md$|^instructions\.md$/,
    false,
  ],
  ['extensions', /^(prompts|skills|rules|plugins|agents|hooks|themes|vendor_imports)\//, false],
  ['memory', /^memories\//, false],
  ['prompt-history', /^history\.jsonl$/, false],
  ['thread-names', /^session_index\.jsonl(\.lock)?$/, true],
  ['database', /^[a-z_]+_\d+\.sqlite(-wal|-shm|-journal)?$/, true],
  ['shell-snapshot', /^shell_snapshots\//, false],
  ['image', /^generated_images\//, true],
  ['worktree', /^worktrees\//, true],
  ['lock', /^thread-writer-locks\//, false],
  ['log', /^log\//, true],
  ['temporary', /^\.?tmp\//, true],
  ['program', /^(packages|bin)\//, false],
  [
    'state',
    /^(installation_id|version\.json|models_cache\.json|cloud_requirements_cache\.json|cap_sid|\.sandbox_migration|\.personality_migration|\.codex-global-state\.json(\.bak)?|internal_storage\.json)$/,
    false,
  ],
];

/** The sort of a file that is of no thread; undefined where Codex is not known to write such a thing. */
export function otherSort(path: string): { readonly name: string; readonly unbounded: boolean } | undefined {
  const found = OTHERS.find(([, fits]) => fits.test(path));
  return found && { name: found[0], unbounded: found[2] };
}
