import type { Message } from '../../../core/sessions/message.ts';
import { isoTime } from '../../../core/time.ts';
import type { ExportedSession } from './exported-session.ts';
import { type Block, messageBlocks, visibleText } from '../../../core/sessions/message-blocks.ts';
import { sessionHeading, sessionSummary } from '../session-summary.ts';

/** Sessions as Markdown for people. Images are named, not embedded. */
export async function* exportMarkdown(sessions: AsyncIterable<ExportedSession>): AsyncGenerator<string> {
  let separator = '';
  for await (const { facts, messages } of sessions) {
    yield `${separator}# ${oneLine(sessionHeading(facts))}\n\n`;
    yield sessionSummary(facts)
      .map(([name, value]) => `- ${name}: ${oneLine(value)}\n`)
      .join('');
    for await (const message of messages) yield messageText(message);
    separator = '\n---\n\n';
  }
}

function messageText(message: Message): string {
  const heading = `\n## ${message.role} · ${isoTime(message.at)}\n`;
  return heading + messageBlocks(message).map(blockText).join('');
}

function blockText(block: Block): string {
  if (block.kind === 'image') return `\n*[image: ${oneLine(block.name)}]*\n`;
  const text = visibleText(block.text);
  if (block.kind === 'text') return `\n${closeFence(text)}\n`;
  if (block.kind === 'aside') return `\n*${block.label}:*\n\n${quoted(text)}\n`;
  const fence = fenceFor(text);
  const label = block.kind === 'call' ? `call of ${block.name}` : block.label;
  return `\n${oneLine(label)}:\n\n${fence}\n${text}\n${fence}\n`;
}

/** As a quotation, in which nothing can end the block. */
function quoted(text: string): string {
  return closeFence(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Longer than any run of backticks inside, so nothing in the text can end the block. */
function fenceFor(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(longest + 1);
}

/** Ends a code block that the text left open, which would swallow every message after it. */
function closeFence(text: string): string {
  let open: string | undefined;
  for (const [, fence = '', rest = ''] of text.matchAll(/^ {0,3}(`{3,1000}|~{3,1000})([^\n]*)$/gm)) {
    if (open === undefined) open = fence.startsWith('`') && rest.includes('`') ? undefined : fence;
    else if (fence.startsWith(open) && rest.trim() === '') open = undefined;
  }
  return open === undefined ? text : `${text}\n${open}`;
}

function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ');
}
