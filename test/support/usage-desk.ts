import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { priceTokens } from '../../src/app/usage/price-tokens.ts';
import { readTranscripts } from '../../src/app/usage/read-transcripts.ts';
import { loadFormats } from '../../src/app/transfer/transcripts/load-formats.ts';
import { pricesOf } from '../../src/app/gateway/gateway-rules.ts';
import type { UsageBook } from '../../src/core/stores/usage-book.ts';
import { modelFamily } from '../../src/gateway/spend/price-usage.ts';
import { localDay, zoneOffset } from '../../src/gateway/zone-offset.ts';
import { openUsageBook } from '../../src/store/sqlite/usage/usage-book.ts';

type Prices = Parameters<typeof pricesOf>[0]['prices'];

/** Opens a book as the program does. */
export function openTestBook(folder: string, { zone = 'UTC', prices = {} }: { zone?: string; prices?: Prices } = {}) {
  const offsetAt = zoneOffset(zone);
  return openUsageBook({
    path: join(folder, 'usage.db'),
    days: { zone, dayOf: (at) => localDay(at, offsetAt) },
    priceOf: priceTokens(pricesOf({ prices })),
    familyOf: modelFamily,
  });
}

/** Reads a home of an agent whose sessions are files. */
export async function readHome(book: UsageBook, place: string, agent: string) {
  const format = (await loadFormats()).find(({ name }) => name === agent);
  if (format === undefined) throw new Error(`nobody reads ${agent}`);
  return readTranscripts(book, { path: place, format });
}

export interface BookedLine {
  readonly day: string;
  readonly agent: string;
  readonly id: string;
  readonly project: string | null;
  readonly model: string;
  readonly tokens: readonly number[];
  readonly costUsd: number;
  readonly unpriced: number;
}

/** What a book has of each session, model and day. */
export function linesIn(folder: string): readonly BookedLine[] {
  const db = new BetterSqlite3(join(folder, 'usage.db'), { readonly: true });
  const rows =
    db.prepare(`SELECT day, agent, id, project, name, input, output, cache_read, cache_write, nano_usd, unpriced
    FROM spent JOIN sessions ON sessions.key = session JOIN models ON models.key = model
    WHERE input <> 0 OR output <> 0 ORDER BY day, agent, id, name`);
  const lines = (rows.raw().all() as (string | number | null)[][]).map((row) => {
    const [day, agent, id, project, model, ...numbers] = row as [string, string, string, string | null, string];
    const [nanoUsd = 0, unpriced = 0] = (numbers as number[]).slice(4);
    return {
      day,
      agent,
      id,
      project,
      model,
      tokens: (numbers as number[]).slice(0, 4),
      costUsd: nanoUsd / 1e9,
      unpriced,
    };
  });
  db.close();
  return lines;
}

/** The same in short: day, agent, session, model, then input, output and both kinds of cache. */
export function bookLines(folder: string): readonly string[] {
  return linesIn(folder).map(({ day, agent, id, model, tokens }) => [day, agent, id, model, ...tokens].join(' '));
}
