// Books all transcripts below HOME into the book in FOLDER, as the program does. Run as: node usage-worker.js HOME FOLDER
import { join } from 'node:path';
import { priceTokens } from '../../dist/app/usage/price-tokens.js';
import { readTranscripts } from '../../dist/app/usage/read-transcripts.js';
import { claudeFormat } from '../../dist/homes/claude-code/claude-format.js';
import { openUsageBook } from '../../dist/store/sqlite/usage/usage-book.js';

const [, , home, folder] = process.argv;
const dayOf = (at) => new Date(at).toISOString().slice(0, 10);
const book = openUsageBook({
  path: join(folder, 'usage.db'),
  days: { zone: 'UTC', dayOf },
  priceOf: priceTokens(new Map()),
  familyOf: (model) => model,
});
process.stdout.write('ready\n');
await readTranscripts(book, { path: home, format: claudeFormat });
book[Symbol.dispose]();
process.stdout.write('done\n');
