/** Whether long campaigns are asked for, by `npm run torture`. */
export const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;

/** What a campaign tries at most: a few in every test run, more in a long one. */
export interface CampaignSize {
  readonly usual: number;
  readonly torture: number;
}

/** Chosen by hand with `COPPICE_POINTS=1000` or `COPPICE_POINTS=all`, in a long run alone. */
export function campaignSize({ usual, torture }: CampaignSize): number {
  if (!TORTURE) return usual;
  const asked = process.env['COPPICE_POINTS'];
  if (asked === undefined) return torture;
  return asked === 'all' ? Number.POSITIVE_INFINITY : Number(asked);
}

/** Where random choices begin: another place in each long run, and the same one again with `COPPICE_SEED`. */
export const SEED = Number(process.env['COPPICE_SEED'] ?? (TORTURE ? Date.now() % 1e9 : 1));

/** At most so many of the numbers 1 to count, evenly spread, each run a little further on. */
export function spread(count: number, limit: number): number[] {
  const size = Math.min(count, limit);
  const phase = TORTURE ? (SEED % 997) / 997 : 0.5;
  return Array.from({ length: size }, (_, index) => 1 + Math.floor(((index + phase) * count) / size));
}
