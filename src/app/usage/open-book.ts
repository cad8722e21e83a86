import { dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { machineFailure } from '../../core/machine-failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { UsageBook } from '../../core/stores/usage-book.ts';
import { modelFamily } from '../../gateway/spend/price-usage.ts';
import { makePrivateDir } from '../../platform/files/private-files.ts';
import { IN_MEMORY } from '../../store/sqlite/database/connection.ts';
import { openUsageBook } from '../../store/sqlite/usage/usage-book.ts';
import { pricesOf } from '../gateway/gateway-rules.ts';
import type { HomeParts } from '../home-parts.ts';
import { ownLayout } from '../../keeping/own-layout.ts';
import { priceTokens } from './price-tokens.ts';
import type { UsageDays } from './usage-days.ts';

/** Where the book is: in Coppice's own home. */
export async function bookPath({ layout, ownRoot }: Pick<HomeParts, 'layout' | 'ownRoot'>): Promise<string> {
  return ownLayout((await ownRoot?.()) ?? layout.root).usage;
}

/** Opens the book. Where it cannot be kept, everything is counted for this answer alone. */
export async function openBook(parts: HomeParts, days: UsageDays, problems: Problem[]): Promise<UsageBook> {
  const path = await bookPath(parts);
  const open = (place: string) =>
    openUsageBook({ path: place, days, priceOf: priceTokens(pricesOf(parts.config)), familyOf: modelFamily });
  try {
    makePrivateDir(dirname(path));
    return open(path);
  } catch (error) {
    const failure = error instanceof Failure ? error : machineFailure(error, path);
    if (failure === undefined || failure.code === 'integrity' || failure.code === 'locked') throw failure ?? error;
    problems.push(notKept(path, failure));
    return open(IN_MEMORY);
  }
}

function notKept(path: string, { message }: Failure): Problem {
  return {
    kind: 'usage-not-kept',
    subject: path,
    message: `What was used cannot be written down, so this counts only what is there now. ${message}`,
  };
}
