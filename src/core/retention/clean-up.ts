/** Commands that clean up by the rules in force, when they are typed without a limit of their own. */
export const CLEAN_UPS = [
  'sessions prune',
  'sessions prune --files-only',
  'sessions gc',
  'sessions archive',
  'trash empty --expired',
  'checkpoints prune',
] as const;

/** What one of them would clean up now. */
export interface CleanUp {
  readonly command: (typeof CLEAN_UPS)[number];
  readonly items: number;
  /** What the disk has more in the end: for most, once the trash is emptied. */
  readonly sizeBytes: number;
}
