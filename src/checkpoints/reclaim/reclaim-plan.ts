import type { EpochMs } from '../../core/time.ts';
import type { Pack, StoreSize } from '../store/store-size.ts';

/** What to do about the files of a store. Nothing in it changes what any ref can reach. */
export interface ReclaimPlan {
  /** Loose objects that nothing needs. */
  readonly dead: readonly string[];
  /** Loose objects that a pack holds too, now or once `fresh` is written. */
  readonly copies: readonly string[];
  /** Objects for one new pack. */
  readonly fresh: readonly string[];
  /** Packs that can go once it is there. */
  readonly packs: readonly string[];
}

export interface ReclaimFacts {
  /** Every object that a ref needs. */
  readonly reachable: { readonly has: (id: string) => boolean };
  /** Loose objects younger than this are left alone. */
  readonly before: EpochMs;
  readonly freeBytes: number;
  /** The store takes more than it may, so even a little is worth the work. */
  readonly tight: boolean;
}

/** A pack is written anew when more than this part of it is dead. */
const DEAD_PART = 0.25;
const DEAD_PART_WHEN_TIGHT = 0.02;
/** So many loose objects are worth a pack of their own. */
export const MANY_LOOSE = 2000;
const MANY_LOOSE_WHEN_TIGHT = 100;
/** More packs than this make every look-up slow: all but the largest become one. */
const MANY_PACKS = 10;
/** Never the last bytes of a disk. */
const RESERVE_BYTES = 16 * 1024 * 1024;

/** Decides what to do, purely. On a disk without room for a new pack, only what can go without one. */
export function planReclaim(size: StoreSize, facts: ReclaimFacts): ReclaimPlan {
  const { reachable, before, tight } = facts;
  const stays = packsThatStay(size.packs, facts);
  const inPacks = new Set(stays.flatMap(({ objects }) => [...objects.keys()]));
  const goes = size.packs.filter((pack) => pack.objects.size > 0 && !stays.includes(pack));
  const needed = ({ objects }: Pack) => [...objects.keys()].filter((id) => reachable.has(id) && !inPacks.has(id));
  const loose = [...size.loose.keys()].filter((id) => reachable.has(id) && !inPacks.has(id));
  const many = loose.length >= (tight ? MANY_LOOSE_WHEN_TIGHT : MANY_LOOSE);
  const wanted = new Set([...goes.flatMap(needed), ...(many ? loose : [])]);
  const fits = bytesOf(wanted, size) * 1.1 + RESERVE_BYTES <= facts.freeBytes;
  const fresh = fits ? wanted : new Set<string>();
  return {
    dead: [...size.loose]
      .filter(([id, { modifiedAt }]) => !reachable.has(id) && modifiedAt <= before)
      .map(([id]) => id),
    copies: [...size.loose.keys()].filter((id) => reachable.has(id) && (inPacks.has(id) || fresh.has(id))),
    fresh: [...fresh],
    packs: goes.filter((pack) => fits || needed(pack).length === 0).map(({ name }) => name),
  };
}

/** Largest first: what a larger pack holds is dead in a smaller one. One that cannot be read is not judged. */
function packsThatStay(packs: readonly Pack[], { reachable, tight }: ReclaimFacts): readonly Pack[] {
  const covered = new Set<string>();
  const stays: Pack[] = [];
  const largestFirst = packs.toSorted((a, b) => b.diskBytes - a.diskBytes || (a.name < b.name ? -1 : 1));
  for (const pack of largestFirst.filter(({ objects }) => objects.size > 0)) {
    let liveBytes = 0;
    let allBytes = 0;
    for (const [id, bytes] of pack.objects) {
      allBytes += bytes;
      if (reachable.has(id) && !covered.has(id)) liveBytes += bytes;
    }
    if (1 - liveBytes / allBytes > (tight ? DEAD_PART_WHEN_TIGHT : DEAD_PART)) continue;
    for (const id of pack.objects.keys()) covered.add(id);
    stays.push(pack);
  }
  return stays.length > MANY_PACKS ? stays.slice(0, 1) : stays;
}

function bytesOf(ids: ReadonlySet<string>, { loose, packs }: StoreSize): number {
  let sum = 0;
  for (const id of ids) sum += loose.get(id)?.diskBytes ?? 0;
  for (const { objects } of packs) for (const [id, bytes] of objects) if (ids.has(id)) sum += bytes;
  return sum;
}
