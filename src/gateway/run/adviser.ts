import type { Verdict, VerdictCause } from '../../core/gateway/gateway.ts';
import { forbids } from '../strictest.ts';

export interface AdviserOptions {
  /** Tells the person who watches. */
  readonly tell: (verdict: Verdict) => Promise<void>;
  /** Tells the agent. */
  readonly advise: (verdict: Verdict) => void;
}

/**
 * Passes on what verdicts say: each piece of advice once, although every event brings it again, and once more when a streak has ended
 * and another has grown as long.
 */
export function createAdviser({ tell, advise }: AdviserOptions): (verdict: Verdict) => void {
  const told = new Map<string, VerdictCause>();
  const isNews = ({ kind, causes }: Verdict): boolean => {
    for (const [key, { rule }] of told) {
      if (STREAKS.has(rule) && !causes.some((cause) => cause.rule === rule)) told.delete(key);
    }
    const fresh = causes.map((cause) => [`${kind} ${cause.rule} ${cause.scope} ${cause.model ?? ''}`, cause] as const);
    const news = fresh.filter(([key]) => !told.has(key));
    for (const [key, cause] of news) told.set(key, cause);
    return news.length > 0;
  };
  return (verdict) => {
    if (!isNews(verdict)) return;
    // Of a stop the person is told at the end of the run.
    if (!forbids(verdict)) void tell(verdict);
    advise(verdict);
  };
}

const STREAKS: ReadonlySet<string> = new Set(['tool-errors', 'same-tool', 'repeated-calls']);
