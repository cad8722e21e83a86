/** The rules, in milliseconds and bytes. An absent rule never expires anything. */
export interface Policy {
  readonly sessions: SessionRules;
  /** Laid over `sessions` field by field for one source. `undefined` in a field switches that rule off. */
  readonly bySource: Readonly<Record<string, Partial<SessionRules>>>;
  readonly dumps: { readonly maxAgeMs?: number };
  readonly archive: { readonly retentionMs?: number };
  readonly disk: DiskRules;
  readonly guard: GuardRules;
}

export interface SessionRules {
  readonly minAgeMs: number;
  /** An open session without activity for this long counts as abandoned, and ages from then. */
  readonly abandonAfterMs: number;
  readonly retentionMs?: number | undefined;
  readonly transcriptRetentionMs?: number | undefined;
  readonly archiveAfterMs?: number | undefined;
  readonly emptyMs?: number | undefined;
  readonly trivialMs?: number | undefined;
  readonly trivialMaxMessages: number;
  /** At most so many sessions of the source; the oldest ended go first. */
  readonly maxSessions?: number | undefined;
  /** The floor: so many of the newest in each group (source and project) stay, whatever else the rules say. At least 1. */
  readonly keepLast: number;
  readonly keepTags: readonly string[];
}

export interface DiskRules {
  readonly maxBytes?: number;
  readonly minFreeBytes?: number;
  /** Clearing starts above a cap and stops at this part of it. */
  readonly lowWater: number;
  readonly bySource: Readonly<Record<string, { readonly maxBytes: number }>>;
}

/** How much an unattended run may remove: more than both is refused. */
export interface GuardRules {
  readonly maxItems: number;
  readonly maxPart: number;
}
