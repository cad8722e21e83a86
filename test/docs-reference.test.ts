import { beforeAll, describe, it } from 'vitest';
import { sandbox } from './e2e/run-coppice.ts';
import { examplesIn, linesOf } from './support/documentation.ts';
import { ExampleMachine } from './support/example-machine.ts';

const root = sandbox();

/** What someone did before who types such a line, on a home as it was at first. */
const BEFORE: readonly { readonly line: RegExp; readonly did: readonly string[] }[] = [
  { line: /^coppice apply/, did: ['coppice plan', 'coppice plan --out plan.json'] },
  { line: /^coppice (undo|runs|trash)/, did: ['coppice sessions delete my-session'] },
  // Homes are found in the home directory of whoever runs this.
  { line: /^coppice homes ignore/, did: ['coppice homes add ~/.hermes'] },
  // The first pass over a home only announces.
  { line: /^coppice maintain$/, did: ['coppice maintain'] },
  { line: /^coppice sessions restore/, did: ['coppice sessions archive --older-than 60d'] },
  { line: /^coppice sessions import session/, did: ['coppice sessions export 0198c2 --out session.jsonl'] },
  { line: /^coppice token revoke/, did: ['coppice token create ci --scope read'] },
  { line: /^coppice token create/, did: [] },
  { line: /^coppice sessions delete/, did: [] },
];

describe('the examples of a command', () => {
  let machine: ExampleMachine;
  beforeAll(async () => {
    machine = await ExampleMachine.build(root);
  });

  const blocks = examplesIn('sh').filter(({ page }) => page === 'docs/reference/commands.md');

  it.each(blocks.map(({ code }) => ({ first: linesOf(code)[0], code })))(
    'do what they say: $first',
    async ({ code }) => {
      machine.reset();
      for (const line of linesOf(code)) {
        const before = BEFORE.find((one) => one.line.test(line));
        if (before !== undefined) machine.reset();
        for (const one of before?.did ?? []) await machine.type(one);
        await machine.do(line);
      }
    },
  );
});
