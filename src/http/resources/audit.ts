import { auditDocument } from '../../app/documents/access-document.ts';
import type { AuditRecord } from '../../core/audit.ts';
import { Failure } from '../../core/failure.ts';
import { totalOf } from '../pages.ts';
import { jsonRoute } from '../route.ts';
import { auditListSchema, auditQuery } from '../schemas/audit-schemas.ts';

const PAGE = 100;

export const auditRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/audit',
    scope: 'manage',
    summary: 'List who changed what, newest first, of everybody or of one token. Pages go on with `cursor`.',
    cost: 100,
    query: auditQuery,
    answer: auditListSchema,
    handle: async ({ parts: { home }, query: { limit = PAGE, cursor, total, ...query } }) => {
      // What was counted until now is part of the answer.
      await home.audit.flush();
      const { at, skip } = placeOf(cursor);
      const records: AuditRecord[] = [];
      let passed = 0;
      for await (const record of home.audit.list(query)) {
        if (record.at > at || (record.at === at && (passed += 1) <= skip)) continue;
        if (records.push(record) > limit) break;
      }
      const shown = records.slice(0, limit);
      return {
        records: shown.map(auditDocument),
        ...(await totalOf(total, () => countOf(home.audit.list(query)))),
        ...(records.length > limit && { next: nextOf(shown, { at, skip }) }),
      };
    },
  }),
] as const;

async function countOf(records: AsyncIterable<AuditRecord>): Promise<number> {
  let count = 0;
  for await (const _ of records) count += 1;
  return count;
}

/** Where a page begins: at this instant, after so many records of it that were shown. */
interface Place {
  readonly at: number;
  readonly skip: number;
}

function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { at: Number.POSITIVE_INFINITY, skip: 0 };
  const [, at, skip] = /^(\d{1,16})\.(\d{1,9})$/.exec(cursor) ?? [];
  if (at !== undefined) return { at: Number(at), skip: Number(skip) };
  throw new Failure('usage', 'This cursor is not one.', { hint: 'Give `next` of the page before as `cursor`.' });
}

function nextOf(shown: readonly AuditRecord[], from: Place): string {
  const at = shown.at(-1)?.at ?? 0;
  const same = shown.filter((record) => record.at === at).length;
  return `${at}.${same + (from.at === at ? from.skip : 0)}`;
}
