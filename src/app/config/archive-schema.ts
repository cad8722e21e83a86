import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { amount, amountOrNever, choice, quote } from './config-values.ts';

const WHERE = 'Write file:/folder with a whole path, or none.';

/** Where archived sessions go. A secret must never stand in it, because settings are shown. */
function place() {
  return z.string({ error: notAPlace }).refine(isPlace, { error: notAPlace });
}

function notAPlace({ input }: { readonly input?: unknown }): string {
  return `${quote(input)} is not possible here. ${WHERE}`;
}

function isPlace(text: string): boolean {
  if (text === 'none') return true;
  return text.startsWith('file:/') && isAbsolute(text.slice('file:'.length)) && !text.startsWith('file://');
}

export const archiveSchema = z.strictObject({
  codec: choice(['brotli', 'gzip']).default('brotli').describe('How archived sessions are compressed: brotli or gzip.'),
  retention_days: amountOrNever('days').default('never').describe('Remove archived sessions after this many days.'),
  url: place()
    .default('none')
    .describe(
      'Where archived sessions go: file:/folder for a folder on another disk, which must be there already; none keeps them in the home.',
    ),
  cache_mb: amount('mb')
    .default(64)
    .describe(
      'Of archived sessions that are elsewhere, keep at most this many megabytes here that were looked at last.',
    ),
});
