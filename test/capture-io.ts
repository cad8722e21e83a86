import { createColour } from '../src/cli/print/colour.ts';
import type { Io, TextOutput } from '../src/cli/io.ts';

export interface CaptureOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Both outputs are a terminal of this width; no terminal when absent. */
  readonly columns?: number;
  readonly colour?: boolean;
  readonly signal?: AbortSignal;
  /** What the person types, line by line, when asked. */
  readonly answers?: readonly string[];
  /** The time that `clock` tells; a function can let it pass. */
  readonly now?: number | (() => number);
}

export const NOW = Date.parse('2026-06-15T12:00:00Z');

/** An Io that keeps what is printed, for tests of commands. Sees nothing of the real process. */
export function captureIo(options: CaptureOptions = {}) {
  const { env = {}, cwd = '/', signal = new AbortController().signal, now = NOW } = options;
  const out = captureOutput(options, signal);
  const err = captureOutput(options, signal);
  const answers = [...(options.answers ?? [])];
  const io: Io = {
    out: out.output,
    err: err.output,
    env,
    cwd,
    stdinIsTerminal: options.columns !== undefined,
    async question(text) {
      err.output.write(text);
      return answers.shift() ?? '';
    },
    signal,
    clock: { now: () => (typeof now === 'function' ? now() : now) },
  };
  return { io, out: out.text, err: err.text };
}

function captureOutput({ columns, colour = false }: CaptureOptions, signal: AbortSignal) {
  let written = '';
  const output: TextOutput = {
    write(text) {
      written += text;
    },
    drained: async () => signal.throwIfAborted(),
    isTerminal: columns !== undefined,
    columns: columns ?? Number.POSITIVE_INFINITY,
    colour: createColour(colour),
  };
  return { output, text: () => written };
}
