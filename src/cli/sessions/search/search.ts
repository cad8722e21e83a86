import type { AppSessions } from '../../../app/app.ts';
import { hitDocument } from '../../../app/documents/search-document.ts';
import { addGaps, NO_GAPS } from '../../../app/search/search-gaps.ts';
import type { SearchExcerpt, SearchHit } from '../../../core/stores/session-reader.ts';
import type { CommandInput } from '../../command.ts';
import type { SearchOptions } from '../../command-options.ts';
import { formatAge } from '../../print/format.ts';
import type { OpenKnownHome } from '../../homes/open-homes.ts';
import { sessionsOfMany } from '../../homes/sessions-of-many.ts';
import type { Io, TextOutput } from '../../io.ts';
import { writeJson } from '../../print/json-output.ts';
import { safeText } from '../../print/safe-text.ts';
import { gapSentences } from './gap-sentences.ts';
import { withIndexProgress } from './with-index-progress.ts';
import { withAppRecords } from '../../with-app.ts';

/** What a person reads through. Programs get as many as the search gives unless they ask. */
const SHOWN = 10;

/** `coppice sessions search "words"` */
export function run(input: CommandInput<SearchOptions>): Promise<number> {
  return withAppRecords(input, ({ sessions }) => printFound(sessions, input));
}

/** The same in several homes: what fits best first, then what is newest. */
export async function runOver(homes: readonly OpenKnownHome[], input: CommandInput<SearchOptions>): Promise<number> {
  return printFound(sessionsOfMany(homes, input.io).sessions, input);
}

async function printFound(
  sessions: Pick<AppSessions, 'search' | 'shortIds'>,
  { args, options, io, global }: CommandInput<SearchOptions>,
): Promise<number> {
  const { source, since, limit: asked } = options;
  const text = args.join(' ');
  const query = { text, ...(source !== undefined && { source }), ...(since !== undefined && { since }) };
  let gaps = NO_GAPS;
  const search = (limit: number | undefined) =>
    withIndexProgress(io, (progress) =>
      sessions.search(
        { ...query, ...(limit !== undefined && { limit }) },
        {
          ...progress,
          uncounted: !global.json,
          onGaps(more) {
            gaps = addGaps(gaps, more);
          },
        },
      ),
    );
  if (global.json) {
    const hits = await search(asked);
    const notes = gapSentences(gaps);
    writeJson(io.out, { sessions: hits.map(hitDocument), ...(notes.length > 0 && { notes }) });
    return 0;
  }
  const limit = asked ?? SHOWN;
  const hits = await search(limit + 1);
  if (hits.length === 0) io.out.write('No session matches. Try fewer words, or a part of a word.\n');
  const shown = hits.slice(0, limit);
  const shortIds = await sessions.shortIds(shown.map(({ session }) => session.id));
  for (const [index, hit] of shown.entries()) {
    if (index > 0) io.out.write('\n');
    printHit(io, hit, shortIds.get(hit.session.id) ?? hit.session.id);
  }
  if (hits.length > limit) io.err.write(`There are more. Add --limit ${limit * 5} to see them.\n`);
  for (const sentence of gapSentences(gaps)) io.err.write(`${sentence}\n`);
  return 0;
}

function printHit({ out, clock }: Io, { session, message, excerpt, match }: SearchHit, shortId: string): void {
  const { colour } = out;
  const title = session.title === undefined ? '' : `  ${safeText(session.title)}`;
  const archived = session.archivedAt === undefined ? '' : '  (archived)';
  out.write(`${colour.cyan(safeText(shortId))}${colour.bold(title)}${archived}\n`);
  const elsewhere = match === 'title' ? 'in the title' : 'in what was asked';
  const where = message === undefined ? elsewhere : messageWords(message);
  const when = formatAge(message?.at ?? session.lastActiveAt, clock.now());
  const from = [...('home' in session ? [String(session.home)] : []), session.source].map(safeText);
  out.write(`  ${colour.dim([...from, where, when].join(', '))}\n`);
  out.write(`  ${highlighted(out, excerpt)}\n`);
}

function messageWords({ role, seq, rewound }: NonNullable<SearchHit['message']>): string {
  return `${role} message #${seq}${rewound === true ? ', taken back' : ''}`;
}

/** Marks what matched: in colour on a terminal, in brackets where there is none. */
function highlighted({ colour, isTerminal }: TextOutput, { text, marks }: SearchExcerpt): string {
  let shown = '';
  let at = 0;
  for (const [from, to] of marks) {
    const match = safeText(text.slice(from, to));
    shown += safeText(text.slice(at, from)) + (isTerminal ? colour.bold(colour.yellow(match)) : `[${match}]`);
    at = to;
  }
  return shown + safeText(text.slice(at));
}
