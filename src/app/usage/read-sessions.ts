import type { LedgerRecord } from '../../core/stores/ledger-book.ts';
import { type ModelUsage, type SessionFacts, totalTokens } from '../../core/sessions/session.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import type { ToldUsage, UsageBook, UsageSession } from '../../core/stores/usage-book.ts';

export interface SessionPlace {
  readonly path: string;
  /** Its sessions. Absent where its transcripts tell of them. */
  readonly sessions?: Pick<SessionReader, 'list' | 'usageByModel'>;
  /** What its removed sessions had used. */
  readonly ledger?: Pick<SessionStore, 'ledger'>;
  /** Whose a session is. */
  readonly whose: (session: Pick<SessionFacts, 'id' | 'source'>) => Omit<UsageSession, 'project'>;
  /** Whether a session watched over another agent. */
  readonly supervises: (session: Pick<SessionFacts, 'source' | 'outputCount'>) => boolean;
  /** A word that changes with what is there. Undefined where nothing can tell. */
  readonly stamp: string | undefined;
}

const PORTION = 200;
const NANO = 1e9;

/** Books what the sessions of a home have used, those in its archive and its ledger too, unless nothing was written there since. */
export async function readSessions(book: UsageBook, place: SessionPlace, signal?: AbortSignal): Promise<void> {
  if (place.stamp !== undefined && book.stamp(place.path) === place.stamp) return;
  let waiting: ToldUsage[] = [];
  const tell = async (told: readonly ToldUsage[], most = PORTION) => {
    waiting.push(...told);
    if (waiting.length === 0 || waiting.length < most) return;
    signal?.throwIfAborted();
    await book.addTold(place.path, waiting);
    waiting = [];
  };
  const seen = new Set<string>();
  for (const archived of place.sessions === undefined ? [] : [false, true]) {
    for await (const facts of place.sessions?.list({ archived, sort: 'stored' }) ?? []) {
      seen.add(keyOf(facts));
      if (totalTokens(facts.usage) === 0 && facts.usage.costUsd === 0) continue;
      const byModel = (await place.sessions?.usageByModel(facts.id)) ?? [];
      // Not everybody says which model it was.
      const { model = 'unknown', usage } = facts;
      await tell(toldOf(place, facts, byModel.length > 0 ? byModel : [{ model, ...usage }]));
    }
  }
  // What was brought back is told of where it is.
  for await (const entry of place.ledger?.ledger() ?? [])
    if (!seen.has(keyOf(entry))) await tell(toldOf(place, entry, entry.usageByModel));
  await tell([], 1);
  if (place.stamp !== undefined) await book.setStamp(place.path, place.stamp);
}

function keyOf({ id, startedAt }: Pick<SessionFacts, 'id' | 'startedAt'>): string {
  return `${startedAt} ${id}`;
}

function toldOf(
  place: SessionPlace,
  facts: SessionFacts | LedgerRecord,
  usageByModel: readonly ModelUsage[],
): ToldUsage[] {
  const { workdir, startedAt, lastActiveAt, endedAt } = facts;
  const session = { ...place.whose(facts), ...(workdir !== undefined && { project: workdir }) };
  const supervised = place.supervises(facts);
  const at = supervised ? Math.max(lastActiveAt, endedAt ?? 0) : lastActiveAt;
  return usageByModel.map(({ model, costUsd, ...tokens }) => ({
    ...tokens,
    session,
    startedAt,
    lastActiveAt: at,
    model,
    supervised,
    // What nobody could price is told of as free.
    nanoUsd: costUsd > 0 ? Math.round(costUsd * NANO) : undefined,
  }));
}
