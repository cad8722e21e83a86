import { once } from 'node:events';
import type { Clock } from '../core/time.ts';
import { type Colour, createColour, wantsColour } from './print/colour.ts';

/** The clock of the machine, which a home also knows by itself, and better. */
export const WALL_CLOCK: Clock = { now: () => Date.now() };

/** Everything a command may know of the process it runs in. Tests pass their own. */
export interface Io {
  /** Results. */
  readonly out: TextOutput;
  /** Talk: progress, warnings, failures. */
  readonly err: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdinIsTerminal: boolean;
  /** Where the person types and looks, when both are a terminal. */
  readonly terminal?: Terminal | undefined;
  /** Asks on stderr and returns the next line of stdin; empty at its end. Rejects once `signal` is aborted. */
  question(text: string): Promise<string>;
  /** Aborted when the person presses Ctrl-C or the system says stop, or when nobody reads the results any more. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface Terminal {
  readonly input: NodeJS.ReadStream & { readonly fd: number };
  readonly output: NodeJS.WriteStream & { readonly fd: number };
}

export interface TextOutput {
  write(text: string): void;
  /** Resolves when it is time to write more; rejects once `signal` is aborted. Await it between large pieces. */
  drained(): Promise<void>;
  /** A terminal that can rewrite its lines. */
  readonly isTerminal: boolean;
  /** Endless when the output is not a terminal. */
  readonly columns: number;
  readonly colour: Colour;
}

/** The parts of `process` that the command line uses. */
export type Host = Pick<NodeJS.Process, 'argv' | 'cwd' | 'env' | 'exit' | 'exitCode' | 'on'> & {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: HostStream;
  readonly stderr: HostStream;
};

type HostStream = NodeJS.WritableStream &
  Pick<NodeJS.WriteStream, 'writableNeedDrain'> & { readonly isTTY?: boolean; readonly columns?: number };

export function processIo(host: Host, signal: AbortSignal): Io {
  return {
    out: streamOutput(host.stdout, host, signal),
    err: streamOutput(host.stderr, host, signal),
    env: host.env,
    // Asked for only when needed: it fails in a directory that was removed.
    get cwd() {
      return host.cwd();
    },
    stdinIsTerminal: host.stdin.isTTY === true,
    terminal: terminalOf(host),
    question: (text) => ask(host, text, signal),
    signal,
    clock: WALL_CLOCK,
  };
}

function terminalOf({ stdin, stdout }: Host): Terminal | undefined {
  const both = stdin.isTTY === true && stdout.isTTY === true;
  // What says that it is a terminal is a stream of that kind, with the number of its open file.
  return both ? { input: stdin as Terminal['input'], output: stdout as Terminal['output'] } : undefined;
}

/** The same Io after `--no-color`. */
export function withoutColour(io: Io): Io {
  return { ...io, out: plain(io.out), err: plain(io.err) };
}

function plain(output: TextOutput): TextOutput {
  return {
    write: (text) => output.write(text),
    drained: () => output.drained(),
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    colour: createColour(false),
  };
}

async function ask({ stdin, stderr }: Host, text: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline');
  signal.throwIfAborted();
  stderr.write(text);
  // Not as a terminal: then Ctrl-C reaches the process, and the system edits the line.
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  } finally {
    lines.close();
  }
}

function streamOutput(stream: HostStream, { env }: Host, signal: AbortSignal): TextOutput {
  const isTerminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  return {
    write: (text) => void stream.write(text),
    async drained() {
      signal.throwIfAborted();
      if (stream.writableNeedDrain) await once(stream, 'drain', { signal });
    },
    isTerminal,
    get columns() {
      return isTerminal ? stream.columns || 80 : Number.POSITIVE_INFINITY;
    },
    colour: createColour(wantsColour(isTerminal, env)),
  };
}
