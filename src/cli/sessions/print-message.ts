import { contentText, type Message } from '../../core/sessions/message.ts';
import { formatTime } from '../format.ts';
import type { TextOutput } from '../io.ts';
import { safeLines } from '../safe-text.ts';

/** Prints one message for reading: who and when, the words, and which tools were asked for. */
export function printMessage(out: TextOutput, message: Message): void {
  const { colour } = out;
  const who = message.name === undefined ? message.role : `${message.role} ${message.name}`;
  const failed = message.failed === true ? colour.red(' failed') : '';
  out.write(`\n${colour.bold(safeLines(who))}${failed}  ${colour.dim(`#${message.seq}  ${formatTime(message.at)}`)}\n`);
  const text = contentText(message.content).trimEnd();
  if (text !== '') out.write(`${safeLines(text)}\n`);
  for (const call of message.toolCalls ?? []) {
    const given = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    out.write(colour.cyan(`→ ${safeLines(`${call.name} ${given}`)}\n`));
  }
}
