import { resolvedDocument } from '../../app/documents/gateway-document.ts';
import type { Resolution } from '../../app/gateway/gateway-session.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../print/json-output.ts';
import { withApp } from '../with-app.ts';
import { budgetSentence } from './budget-words.ts';
import type { ResolveOptions } from './options.ts';

/** `coppice sessions resolve KEY` prints the id alone, so that scripts can use it; how it came about is on stderr. */
export function run(input: CommandInput<ResolveOptions>): Promise<number> {
  const { args, options, io, global } = input;
  const key = args[0] ?? '';
  return withApp(input, async (home) => {
    const { facts, resolution, session } = await home.gateway.resolve({ key, source: options.source ?? sourceOf(key) });
    const budgets = await home.gateway.budgets(facts);
    if (global.json) {
      writeJson(io.out, resolvedDocument(key, { facts, resolution }, budgets));
    } else {
      io.out.write(`${facts.id}\n`);
      io.err.write(`${WORDS[resolution.kind](resolution)}\n`);
      for (const budget of budgets) io.err.write(`${budgetSentence(budget)}\n`);
    }
    // The command is over; the session is free for whoever asked.
    await session.release();
    return 0;
  });
}

function sourceOf(key: string): string {
  const [source = ''] = key.split(':', 1);
  return source === '' ? 'cli' : source;
}

const WORDS: Record<Resolution['kind'], (resolution: Resolution) => string> = {
  created: () => 'A new session.',
  continued: () => 'It goes on.',
  resumed: () => 'It ended by accident and goes on.',
  reset: (resolution) => (resolution.kind === 'reset' ? `Started afresh (${resolution.reason}).` : ''),
};
