/** How often the same thing came in a row. */
export interface Streak {
  readonly key?: string;
  readonly count: number;
}

export const NO_STREAK: Streak = { count: 0 };

/** The streak after one more. What cannot be compared, because it has no key, ends it. */
export function nextInStreak(streak: Streak, key: string | undefined): Streak {
  if (key === undefined) return NO_STREAK;
  return { key, count: key === streak.key ? streak.count + 1 : 1 };
}
