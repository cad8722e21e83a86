import type { DiskPart, DiskParts } from '../../../core/retention/inventory.ts';

/** What a home takes on the disk outside of `sessions/`, in blocks, with everything in exactly one place. */
export interface PartSums {
  /** Counts something at its path in the home; one that ends with `/` is a folder. */
  readonly add: (path: string, diskBytes: number) => void;
  readonly of: (part: TreePart) => number;
}

type TreePart = Exclude<DiskPart, 'sessions' | 'strays' | 'index'> | 'database';

/** Coppice's own records about the home are in it, and count as what they are. The first that fits counts. */
const PLACES: readonly (readonly [RegExp, TreePart])[] = [
  [/^(\.coppice\/)?state\.db$/, 'database'],
  [/^(\.coppice\/)?state\.db-(wal|shm|journal)$/, 'log'],
  [/^checkpoints\//, 'checkpoints'],
  // Checkpoints that were taken out of the home wait in a store of Coppice's own.
  [/^\.coppice\/(trash|checkpoints)\//, 'trash'],
  [/^\.coppice\/archive\//, 'archives'],
  [/^\.coppice\/ballast$/, 'reserve'],
  [/^\.coppice\/plans\//, 'plans'],
  [/^\.coppice\/cache\//, 'caches'],
];

export function sumParts(): PartSums {
  const sums = new Map<TreePart, number>();
  const of = (part: TreePart) => sums.get(part) ?? 0;
  return {
    of,
    add(path, diskBytes) {
      const part = PLACES.find(([fits]) => fits.test(path))?.[1] ?? 'other';
      sums.set(part, of(part) + diskBytes);
    },
  };
}

export interface HermesMeasured {
  readonly sums: PartSums;
  /** Contents of the database that belong to sessions. */
  readonly rowBytes: number;
  readonly sessionFiles: number;
  readonly strays: number;
  /** What is in `sessions/` and belongs to none of them. */
  readonly leftFiles: number;
}

/** Every byte of a home in exactly one part. */
export function hermesParts({ sums, rowBytes, sessionFiles, strays, leftFiles }: HermesMeasured): DiskParts {
  const { of } = sums;
  // What was written last may be in the log alone, so the rows are taken out of both together.
  const beside = Math.max(0, of('database') + of('log') - rowBytes);
  const log = Math.min(of('log'), beside);
  return {
    sessions: Math.min(rowBytes, of('database') + of('log')) + sessionFiles,
    strays,
    trash: of('trash'),
    archives: of('archives'),
    checkpoints: of('checkpoints'),
    index: beside - log,
    log,
    reserve: of('reserve'),
    plans: of('plans'),
    // A home of another agent is not served, so nobody changes it but by command.
    audit: 0,
    search: of('search'),
    caches: of('caches'),
    other: of('other') + leftFiles,
  };
}
