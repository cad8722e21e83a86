import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { planDocument } from '../../src/app/documents/plan-document.ts';
import { openHome } from '../../src/app/open-home.ts';
import { planText } from '../../src/app/retention/saved-plans.ts';
import { FAILURES, type FailureCode } from '../../src/core/failure.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { coppice, type Finished, type RunOptions, sandbox } from '../e2e/run-coppice.ts';
import { unrealCommands } from '../support/real-commands.ts';

/** How to run a line so that it meets its trouble. */
export interface Met extends RunOptions {
  readonly home?: string;
  /** Added to the line. */
  readonly words?: readonly string[];
  /** Ends what brought the trouble about. */
  readonly stop?: () => unknown;
}

export interface Case {
  readonly met: string;
  readonly line: string;
  readonly code: FailureCode;
  readonly says: RegExp;
  readonly hint: RegExp;
  /** Brings it about, in a folder of its own that holds a `home`; says how to run the line. */
  readonly when?: (folder: string) => Met | Promise<Met>;
  /** Two of it at the same time would get in each other's way. */
  readonly alone?: true;
  /** Where it cannot be brought about it is skipped, and the report of the tests says so. */
  readonly possible?: boolean;
}

/** Each is refused with a sentence, the next step and its exit code, for people and for programs. */
export function meetAll(name: string, cases: readonly Case[]): void {
  describe(name, () => {
    const root = sandbox();
    beforeAll(() => furnish(root));

    it.concurrent.for(cases.filter(({ possible }) => possible !== false))(
      '$met: a sentence, the next step and the exit code',
      async (one) => {
        const folder = join(root, one.met.replaceAll(/\W+/g, '-'));
        mkdirSync(folder);
        cpSync(join(root, 'standard'), join(folder, 'home'), { recursive: true });
        const met = (await one.when?.(folder)) ?? {};
        try {
          const [text, json] = await runTwice(one, { home: join(folder, 'home'), ...met });
          expectText(text, one);
          expectJson(json, one);
        } finally {
          await met.stop?.();
        }
      },
    );

    it.skip.each(cases.filter(({ possible }) => possible === false))(
      '$met: cannot be brought about here',
      () => undefined,
    );
  });
}

/** Two sessions and a plan that nobody applied in time. */
async function furnish(root: string): Promise<void> {
  chmodSync(root, 0o755);
  const at = Date.now() - 100 * DAY_MS;
  await using home = await openHome({ path: join(root, 'standard'), env: {}, clock: { now: () => at } });
  for (const id of ['alpha-one', 'alpha-two']) {
    const session = await home.sessions.create({ id, source: 'cron' });
    await session.append({ role: 'user', content: `Hello from ${id}.` });
    await session.end('done');
  }
  const plan = planDocument(await home.plan({ kind: 'delete', ids: ['alpha-one'] }));
  writeFileSync(join(root, 'old-plan.json'), [...planText(plan)].join(''));
}

async function runTwice({ line, alone }: Case, met: Met & { readonly home: string }): Promise<[Finished, Finished]> {
  const { home, words = [], stop: _, ...options } = met;
  const args = [...line.split(' '), ...words];
  const running = coppice(home, args, options);
  if (alone === true) await running;
  return Promise.all([running, coppice(home, ['--json', ...args], options)]);
}

function expectText({ code, stdout, stderr }: Finished, one: Case): void {
  expect({ code, stdout }).toEqual({ code: FAILURES[one.code].exit, stdout: '' });
  const [, sentence = '', hint = ''] = /^coppice: (.+(?:\n {2}.+)*)\n(\S.+)\n$/.exec(stderr) ?? ['', stderr];
  expect(sentence).toMatch(one.says);
  expect(hint).toMatch(one.hint);
  expect(unrealCommands(hint)).toEqual([]);
  expect(stderr).not.toMatch(/^ +at |node:internal|undefined|\[object|did not expect/m);
}

function expectJson({ code, stdout, stderr }: Finished, one: Case): void {
  const { exit } = FAILURES[one.code];
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({
    schemaVersion: 1,
    error: { code: one.code, exitCode: exit, message: expect.stringMatching(one.says), hint: expect.any(String) },
  });
}
