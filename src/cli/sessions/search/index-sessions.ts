import { addGaps, NO_GAPS, type SearchGaps } from '../../../app/search/search-gaps.ts';
import type { Home } from '../../../app/home.ts';
import type { CommandInput } from '../../command.ts';
import type { IndexCommandOptions } from '../../command-options.ts';
import type { OpenKnownHome } from '../../homes/open-homes.ts';
import { writeJson } from '../../print/json-output.ts';
import { withHome } from '../../with-home.ts';
import { gapSentences } from './gap-sentences.ts';
import { withIndexProgress } from './with-index-progress.ts';

/** `coppice sessions index`: reads everything that is new into the search index, or removes it. */
export function run(input: CommandInput<IndexCommandOptions>): Promise<number> {
  return withHome(input, (home) => indexAll([home], input), { reading: 'records' });
}

/** The same for several homes. */
export function runOver(homes: readonly OpenKnownHome[], input: CommandInput<IndexCommandOptions>): Promise<number> {
  return indexAll(
    homes.map(({ home }) => home),
    input,
  );
}

async function indexAll(
  homes: readonly Home[],
  { io, global, options }: CommandInput<IndexCommandOptions>,
): Promise<number> {
  if (options.drop === true || options.rebuild === true) await homes[0]?.sessions.dropIndex();
  let gaps: SearchGaps = NO_GAPS;
  if (options.drop !== true) {
    for (const { sessions } of homes)
      gaps = addGaps(gaps, await withIndexProgress(io, (progress) => sessions.index(progress)));
  }
  const notes = gapSentences(gaps);
  if (global.json) writeJson(io.out, { dropped: options.drop === true, ...gaps, notes });
  else {
    io.out.write(options.drop === true ? DROPPED : notes.length === 0 ? WHOLE : '');
    for (const note of notes) io.err.write(`${note}\n`);
  }
  return 0;
}

const WHOLE = 'The search index is up to date.\n';
const DROPPED = 'The search index was removed; every session is still where it was. The next search builds it anew.\n';
