import { type Block, messageBlocks } from '../../core/sessions/message-blocks.ts';
import type { Message } from '../../core/sessions/message.ts';
import { formatTime } from '../print/format.ts';
import type { TextOutput } from '../io.ts';
import { safeLines } from '../print/safe-text.ts';

/** Prints one message for reading: who and when, the words, which tools were asked for and what they gave back. */
export function printMessage(out: TextOutput, message: Message): void {
  const { colour } = out;
  const who = message.name === undefined ? message.role : `${message.role} ${message.name}`;
  const failed = message.failed === true ? colour.red(' failed') : '';
  out.write(`\n${colour.bold(safeLines(who))}${failed}  ${colour.dim(`#${message.seq}  ${formatTime(message.at)}`)}\n`);
  for (const block of messageBlocks(message)) out.write(blockLines(out, block));
}

/** Images are named, never printed. */
function blockLines({ colour }: TextOutput, block: Block): string {
  if (block.kind === 'image') return colour.dim(`[image: ${safeLines(block.name)}]\n`);
  const text = safeLines(block.text.trimEnd());
  if (block.kind === 'call') return colour.cyan(`→ ${safeLines(`${block.name} ${inline(block.text)}`)}\n`);
  if (text === '') return '';
  if (block.kind !== 'aside') return `${text}\n`;
  const paint = block.label === 'error' ? colour.red : colour.dim;
  return paint(`(${block.label}) ${text}\n`);
}

/** What a tool is given, on one line where it is JSON. */
function inline(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
