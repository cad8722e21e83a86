import { messageDocument, sessionDetailDocument } from '../../app/documents/session-document.ts';
import type { SessionFile } from '../../app/sessions/session-files.ts';
import type { Message } from '../../core/sessions/message.ts';
import {
  entryCount,
  type ModelUsage,
  type SessionFacts,
  sessionBytes,
  totalTokens,
} from '../../core/sessions/session.ts';
import { WORD_FACTS } from '../../core/sessions/word-facts.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { ShowOptions } from '../command-options.ts';
import {
  formatAge,
  formatBytes,
  formatCount,
  formatDate,
  formatTime,
  formatTokens,
  formatUsd,
  plural,
} from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import type { Io } from '../io.ts';
import { writeJsonList } from '../print/json-output.ts';
import { mapped } from '../mapped.ts';
import { safeText } from '../print/safe-text.ts';
import { withAppRecords } from '../with-app.ts';
import { printMessage } from './print-message.ts';

const SHOWN_MESSAGES = 10;

/** `coppice sessions show ID` */
export function run(input: CommandInput<ShowOptions>): Promise<number> {
  return withAppRecords(input, async (home) => {
    const session = await home.sessions.find(input.args[0] ?? '');
    const handle = await home.sessions.open(session.id);
    const usage = await handle.usageByModel();
    const files = input.options.files === true ? await handle.files() : undefined;
    const shown = input.options.messages ?? (input.global.json ? 'all' : SHOWN_MESSAGES);
    const archived = session.archivedAt !== undefined;
    const messages = archived ? none() : handle.messages(shown === 'all' ? {} : { last: shown });
    if (input.global.json) {
      const fields = { ...sessionDetailDocument(session, usage), ...(files !== undefined && { files }) };
      await writeJsonList(input.io.out, { name: 'messages', items: mapped(messages, messageDocument), fields });
    } else {
      printFacts(input.io, session, usage);
      if (files !== undefined) printFiles(input.io, files);
      if (archived) printArchived(input, session);
      else await printMessages(input.io, session, { messages, shown });
    }
    return 0;
  });
}

/** The messages of an archived session are not at hand. */
async function* none(): AsyncGenerator<Message> {}

function printArchived({ io, global }: CommandInput<ShowOptions>, { id }: SessionFacts): void {
  const restore = hintCommand(global, 'sessions', 'restore', id);
  io.out.write(`\nIt is archived, with its messages and files. Bring it back with: ${restore}\n`);
}

function printFacts({ out, clock }: Io, session: SessionFacts, usage: readonly ModelUsage[]): void {
  const now = clock.now();
  const when = (at: number) => timeAndAge(at, now);
  const facts: [string, string | undefined][] = [
    ['session', session.id],
    ['title', session.title],
    ['source', session.source],
    ['route', session.routeKey],
    ['parent', session.parentId && `${session.parentId}${session.childKind ? ` (${session.childKind})` : ''}`],
    ...WORD_FACTS.map((fact): [string, string | undefined] => [fact, session[fact]]),
    ['started', when(session.startedAt)],
    ['last active', when(session.lastActiveAt)],
    ['ended', session.endedAt && [when(session.endedAt), session.endReason].filter(Boolean).join(', ')],
    ['archived', session.archivedAt && when(session.archivedAt)],
    ['pinned', session.pinned ? 'yes, it is never removed' : undefined],
    ['tags', session.tags.join(', ') || undefined],
    ['messages', counts(session)],
    ['size', sizes(session)],
    ...usage.map((model): [string, string] => ['used', usageText(model)]),
  ].filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== 0);
  for (const [name, value] of facts) out.write(`${out.colour.dim(name.padEnd(12))}${safeText(value ?? '')}\n`);
}

/** The age is left out once it would only say the date again. */
function timeAndAge(at: EpochMs, now: EpochMs): string {
  const age = formatAge(at, now).replace(` (${formatDate(at)})`, '');
  return age === formatDate(at) ? formatTime(at) : `${formatTime(at)} (${age})`;
}

function counts({ messageCount, toolCallCount, outputCount = 0 }: SessionFacts): string {
  const calls = toolCallCount === 0 ? '' : `, with ${plural(toolCallCount, 'tool call')}`;
  const output = outputCount === 0 ? '' : `, and ${plural(outputCount, 'piece')} of output`;
  return `${formatCount(messageCount)}${calls}${output}`;
}

function sizes(session: SessionFacts): string {
  const { contentBytes, transcriptBytes, dumpBytes } = session;
  const parts = Object.entries({ messages: contentBytes, transcript: transcriptBytes, 'request dumps': dumpBytes })
    .filter(([, bytes]) => bytes > 0)
    .map(([name, bytes]) => `${name} ${formatBytes(bytes)}`);
  return `${formatBytes(sessionBytes(session))}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

function usageText(usage: ModelUsage): string {
  return `${usage.model}: ${formatTokens(totalTokens(usage))} tokens, ${formatUsd(usage.costUsd)}`;
}

function printFiles({ out }: Io, files: readonly SessionFile[]): void {
  out.write(files.length === 0 ? '\nIt keeps no files.\n' : '\n');
  for (const file of files) out.write(`${formatBytes(file.sizeBytes).padStart(9)}  ${safeText(file.path)}\n`);
}

async function printMessages(
  { out, err }: Io,
  session: SessionFacts,
  { messages, shown }: { messages: AsyncIterable<Message>; shown: number | 'all' },
): Promise<void> {
  let printed = 0;
  for await (const message of messages) {
    printed += 1;
    printMessage(out, message);
    await out.drained();
  }
  // There may be fewer than the count says: those that were taken back are not shown.
  if (shown === 'all' || printed < shown || entryCount(session) <= shown) return;
  const newest = shown === 1 ? 'the newest' : `the newest ${formatCount(shown)}`;
  const output = session.outputCount === undefined ? '' : ' and pieces of output';
  err.write(
    `\nShown: ${newest} of ${plural(entryCount(session), 'message')}${output}. Add --messages all to see every one.\n`,
  );
}
