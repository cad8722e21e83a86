import type { KnownHome } from '../../app/machine/known-homes.ts';
import { FAILURES, Failure, INTERRUPTED } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { CommandModule } from '../define/define-command.ts';
import { hintCommand } from '../hint-command.ts';
import type { TextOutput } from '../io.ts';
import { failureOf, printFailure } from '../print-failure.ts';
import type { HomesInput } from './homes-input.ts';
import { homeFields, inHome, writeHeading } from './in-home.ts';

/** Runs a command on each home in turn. One that cannot be read is said, and the others are shown all the same. */
export async function runInEach<O>(module: CommandModule<O>, input: HomesInput<O>): Promise<number> {
  return input.global.json ? documents(module, input) : texts(module, input);
}

async function texts<O>(module: CommandModule<O>, input: HomesInput<O>): Promise<number> {
  const { io, homes, global } = input;
  const codes: number[] = [];
  const shown: string[] = [];
  for (const [at, home] of homes.entries()) {
    if (at > 0) io.out.write('\n');
    writeHeading(io.out, home);
    try {
      codes.push(await module.run({ ...inHome(input, home), onShown: (id) => void shown.push(id) }));
    } catch (error) {
      codes.push(told(input, home, error));
    }
  }
  if (shown.length > 1) {
    const apply = hintCommand(
      {},
      'apply',
      ...shown,
      ...global.set.flatMap(({ key, value }) => ['--set', `${key}=${value}`]),
    );
    io.out.write(`\nAll of them, one after the other, each with its own question:\n  ${io.out.colour.bold(apply)}\n`);
  }
  return together(codes);
}

function told<O>(input: CommandInput<O>, home: KnownHome, error: unknown): number {
  if (input.io.signal.aborted && !(error instanceof Failure)) throw error;
  printFailure(input.io, error, inHome(input, home).global);
  return FAILURES.partial.exit;
}

/** Something that was not done comes before a limit that is out of reach. */
function together(codes: readonly number[]): number {
  for (const code of [INTERRUPTED, FAILURES.partial.exit]) if (codes.includes(code)) return code;
  return codes.find((code) => code !== 0) ?? 0;
}

/**
 * The document of the home in use, as it is where there is no other home, and in it those of the others: a program that knows nothing
 * of them goes on as before.
 */
async function documents<O>(module: CommandModule<O>, input: HomesInput<O>): Promise<number> {
  const { io, homes } = input;
  const open = withoutEnd(io.out);
  const codes = [await module.run({ ...input, io: { ...io, out: open } })];
  io.out.write(',\n  "others": [');
  let written = 0;
  for (const home of homes.filter(({ by }) => by !== 'in-use')) {
    const entry = await documentOf(module, inHome(input, home), home);
    codes.push(entry.code);
    const text = JSON.stringify({ ...homeFields(home), ...entry.fields }, undefined, 2).replaceAll('\n', '\n    ');
    io.out.write(`${written === 0 ? '' : ','}\n    ${text}`);
    await io.out.drained();
    written += 1;
  }
  io.out.write(`${written === 0 ? '' : '\n  '}]${END}`);
  return together(codes);
}

async function documentOf<O>(module: CommandModule<O>, input: CommandInput<O>, home: KnownHome) {
  const pieces: string[] = [];
  const out = { ...input.io.out, isTerminal: false, write: (text: string) => void pieces.push(text) };
  try {
    const code = await module.run({ ...input, io: { ...input.io, out } });
    return { code, fields: { document: JSON.parse(pieces.join('')) as object } };
  } catch (error) {
    if (input.io.signal.aborted && !(error instanceof Failure)) throw error;
    const { code, message, hint } = failureOf(error);
    return { code: FAILURES.partial.exit, fields: { error: { code, message, hint, home: home.name } } };
  }
}

/** As every document ends. */
const END = '\n}\n';

/** Passes on all but the end of a document, so that something can follow in it. */
function withoutEnd(out: TextOutput): TextOutput {
  let held = '';
  return {
    drained: () => out.drained(),
    isTerminal: out.isTerminal,
    columns: out.columns,
    colour: out.colour,
    write(text) {
      const all = held + text;
      held = all.slice(-END.length);
      out.write(all.slice(0, -END.length));
    },
  };
}
