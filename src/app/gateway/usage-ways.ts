/** Who tells what an agent uses: the meter between it and its models, its own events, or what it writes down itself. */
export type UsageWay = 'meter' | 'events' | 'files';

/** Sees to it that a call that is told in two ways is counted once: whichever tells first goes on, and the meter wins over all. */
export interface UsageWays {
  /** Whether what this way tells counts. */
  take(way: UsageWay): boolean;
  /** The one that counts; undefined while nobody has told anything. */
  counting(): UsageWay | undefined;
}

export function createUsageWays(): UsageWays {
  let counting: UsageWay | undefined;
  return {
    take(way) {
      counting = way === 'meter' ? way : (counting ?? way);
      return counting === way;
    },
    counting: () => counting,
  };
}
