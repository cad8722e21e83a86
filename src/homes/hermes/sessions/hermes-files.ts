import { hash } from 'node:crypto';

/**
 * What a file in `sessions/` is, by its name alone. `owner` is the session it belongs to; absent for an orphan, which has the
 * name of a session's file while no session of that name exists.
 */
export type HermesFile =
  | { readonly kind: 'transcript' | 'snapshot' | 'dump' | 'json'; readonly owner?: string }
  /** The map of routes and its half-written copies, and conversations that a person saved. Never touched. */
  | { readonly kind: 'kept' }
  /** The name fits several sessions, so it belongs to none for certain. */
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'unknown' };

/**
 * Prepares to tell the files in `sessions/` apart. Names are parsed and compared whole: an id is never a pattern or a prefix,
 * and what fits the files of two sessions belongs to neither.
 */
export function fileOwners(ids: Iterable<string>): (path: string) => HermesFile {
  const known = new Set<string>();
  const bySafeName = new Map<string, string | undefined>();
  for (const id of ids) {
    known.add(id);
    const safe = safeSessionName(id);
    bySafeName.set(safe, bySafeName.has(safe) ? undefined : id);
  }
  const ownersOf = ({ name, safe }: Reading): readonly (string | undefined)[] => {
    if (!safe) return known.has(name) ? [name] : [];
    return bySafeName.has(name) ? [bySafeName.get(name)] : [];
  };
  return (path) => {
    if (path === 'sessions.json' || path.startsWith('.sessions_') || path.startsWith('saved/')) return KEPT;
    const readings = path.includes('/') ? [] : readName(path);
    const owned = readings.flatMap((reading) => ownersOf(reading).map((owner) => ({ kind: reading.kind, owner })));
    const [first] = owned;
    if (first === undefined) {
      const orphan = readings.find(onlyFromHermes);
      return orphan === undefined ? UNKNOWN : { kind: orphan.kind };
    }
    return first.owner === undefined || owned.length > 1 ? AMBIGUOUS : { kind: first.kind, owner: first.owner };
  };
}

const KEPT: HermesFile = { kind: 'kept' };
const UNKNOWN: HermesFile = { kind: 'unknown' };
const AMBIGUOUS: HermesFile = { kind: 'ambiguous' };

/**
 * The name of a session inside its file names: letters, digits, `_` and `-`, at most 96 of them; whatever that changed is told
 * apart by the beginning of a hash.
 */
export function safeSessionName(id: string): string {
  // Most ids are, and there may be 100 000 of them.
  if (/^[\w-]{1,96}$/.test(id)) return id;
  const safe = [...id.replaceAll(/[^\p{L}\p{N}_-]/gu, '_')].slice(0, 96).join('');
  return safe === id ? id : `${safe}_${hash('sha256', id, 'hex').slice(0, 12)}`;
}

interface Reading {
  readonly kind: 'transcript' | 'snapshot' | 'dump' | 'json';
  readonly name: string;
  /** The name stands in its safe form; otherwise it is the id itself. */
  readonly safe: boolean;
}

/** Every way to read a file name. A dump ends with a stamp of fixed length, so where its name ends is never in doubt. */
function readName(file: string): Reading[] {
  if (file.endsWith('.jsonl')) return [{ kind: 'transcript', name: file.slice(0, -'.jsonl'.length), safe: false }];
  if (!file.endsWith('.json')) return [];
  const name = file.slice(0, -'.json'.length);
  const readings: Reading[] = [{ kind: 'json', name, safe: false }];
  if (name.startsWith('session_')) readings.push({ kind: 'snapshot', name: name.slice('session_'.length), safe: true });
  const dump = name.startsWith('request_dump_') ? DUMP.exec(name)?.[1] : undefined;
  if (dump !== undefined) readings.push({ kind: 'dump', name: dump, safe: true });
  return readings;
}

const DUMP = /^request_dump_(.+)_\d{8}_\d{6}_\d{6}$/s;

/** Dumps, ids that Hermes makes, and safe names with a hash. Any other file may be one that a person put there. */
function onlyFromHermes({ kind, name }: Reading): boolean {
  if (kind === 'dump' || /^(\d{8}_\d{6}_\w+|cron_\w+_\d{8}_\d{6})$/.test(name)) return true;
  return kind === 'snapshot' && /^[\p{L}\p{N}_-]+_[0-9a-f]{12}$/u.test(name);
}
