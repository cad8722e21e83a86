import type { SpendKey } from '../../../core/gateway/gateway.ts';
import type {
  Correction,
  FoundSpend,
  FoundTokens,
  NewCorrection,
  SpendShare,
} from '../../../core/gateway/spend-book.ts';
import { TOKEN_KINDS } from '../../../core/gateway/spend-book.ts';
import type { KeptChange } from '../../../core/gateway/spend-book.ts';
import type { EpochMs } from '../../../core/time.ts';
import { digestOf } from '../database/bound-text.ts';
import type { Sql } from '../database/sql.ts';
import { rowDigest } from './spend-rows.ts';

/** Notes that a share of a limit was told. False when somebody had done so before. */
export async function tellShare(tx: Sql, share: SpendShare, now: EpochMs): Promise<boolean> {
  const told = await tx.run(
    'INSERT INTO coppice.told VALUES (:space, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    rowDigest(share),
    share.counter,
    share.percent,
    Math.round(share.limit),
    now,
  );
  return told > 0;
}

/** Takes usage back. False, and nothing is changed, when the session has not used as much. */
export async function correctRows(
  tx: Sql,
  keys: readonly SpendKey[],
  { correction, now }: { readonly correction: NewCorrection; readonly now: EpochMs },
): Promise<boolean> {
  const { sessionId, tokens, nanoUsd, by, reason } = correction;
  const used = await tx.get(
    'SELECT 1 FROM coppice.spend WHERE space = :space AND row_digest = ? AND tokens >= ? AND nano_usd >= ?',
    rowDigest({ scope: 'session', key: sessionId, period: '' }),
    tokens,
    nanoUsd,
  );
  if (used === undefined) return false;
  for (const row of keys) {
    await tx.run(
      `UPDATE coppice.spend SET tokens = greatest(0, tokens - ?::bigint), nano_usd = greatest(0, nano_usd - ?::bigint),
       updated_at = ? WHERE space = :space AND row_digest = ?`,
      tokens,
      nanoUsd,
      now,
      rowDigest(row),
    );
    await tx.run(UNTELL, rowDigest(row));
  }
  await tx.run(
    `INSERT INTO coppice.corrections (space, session, tokens, nano_usd, corrected_by, reason, corrected_at)
     VALUES (:space, ?, ?, ?, ?, ?, ?)`,
    sessionId,
    tokens,
    nanoUsd,
    by,
    reason,
    now,
  );
  return true;
}

/** A share that is not used any more is told again when it is. */
const UNTELL = `DELETE FROM coppice.told t USING coppice.spend s
  WHERE t.space = :space AND t.row_digest = ? AND t.counter IN ('tokens', 'nanoUsd')
    AND s.space = t.space AND s.row_digest = t.row_digest
    AND t.of_limit::numeric * t.percent > 100::numeric * CASE t.counter WHEN 'tokens' THEN s.tokens ELSE s.nano_usd END`;

export async function readCorrections(sql: Sql): Promise<readonly Correction[]> {
  return sql.all<Correction>(
    `SELECT session AS "sessionId", tokens, nano_usd AS "nanoUsd", corrected_by AS by, reason, corrected_at AS at
     FROM coppice.corrections WHERE space = :space ORDER BY id DESC`,
  );
}

/** Reads, changes and writes what guards keep of a session: two processes never count from the same. */
export async function changeKept(tx: Sql, { sessionId, change }: KeptChange, now: EpochMs): Promise<void> {
  const row = await tx.get<{ text: string }>(
    'SELECT text FROM coppice.kept WHERE space = :space AND session_id = ? FOR UPDATE',
    sessionId,
  );
  const after = change(row?.text);
  if (after === row?.text) return;
  if (after === undefined) await tx.run('DELETE FROM coppice.kept WHERE space = :space AND session_id = ?', sessionId);
  else {
    await tx.run(
      `INSERT INTO coppice.kept VALUES (:space, ?, ?, ?)
       ON CONFLICT (space, session_id) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at`,
      sessionId,
      after,
      now,
    );
  }
}

const FOUND = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const;

/** What goes beyond what was counted of a call before, which counts from now on. Undefined when that is nothing. */
export async function growFound(
  tx: Sql,
  { id, tokens }: Pick<FoundSpend, 'id' | 'tokens'>,
  now: EpochMs,
): Promise<FoundTokens | undefined> {
  const row = await tx.get<Readonly<Record<(typeof FOUND)[number], number>>>(
    `SELECT ${FOUND.join()} FROM coppice.found WHERE space = :space AND id_digest = ?`,
    digestOf(id),
  );
  const before = FOUND.map((column) => row?.[column] ?? 0);
  const most = TOKEN_KINDS.map((kind, index) => Math.max(tokens[kind], before[index] ?? 0));
  const added = most.map((amount, index) => amount - (before[index] ?? 0));
  if (added.every((amount) => amount === 0)) return undefined;
  await tx.run(
    `INSERT INTO coppice.found (space, id_digest, ${FOUND.join()}, found_at) VALUES (:space, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (space, id_digest) DO UPDATE SET ${[...FOUND, 'found_at'].map((name) => `${name} = excluded.${name}`).join()}`,
    digestOf(id),
    ...most,
    now,
  );
  return Object.fromEntries(TOKEN_KINDS.map((kind, index) => [kind, added[index] ?? 0])) as FoundTokens;
}
