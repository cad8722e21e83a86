import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const DRIVER = join(import.meta.dirname, 'terminal-driver.py');

const LONGEST_MS = 60_000;

/** Terminals are made with python3, which a machine may lack. */
export const hasTerminals = spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;

export interface TerminalOptions {
  readonly rows?: number;
  readonly columns?: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface DrivenTerminal {
  type(text: string): void;
  resize(rows: number, columns: number): void;
  /** Everything that it has shown so far. */
  shown(): string;
  /** Waits until it shows this. */
  shows(text: string | RegExp): Promise<void>;
  /** Closes it under the command. */
  close(): void;
  /** A negative code is a signal. `sameMode` is whether the terminal was left in the mode that it had. */
  readonly ended: Promise<{ readonly code: number; readonly sameMode: boolean | null }>;
}

/** Runs a command in a terminal of its own and lets a test be the person in front of it. It is closed with the process of the test. */
export function openTerminal(command: readonly string[], options: TerminalOptions): DrivenTerminal {
  const { rows = 24, columns = 80, cwd, env } = options;
  const driver = spawn('python3', [DRIVER, String(rows), String(columns), ...command], { cwd, env });
  let shown = '';
  let said = '';
  driver.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  driver.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  driver.stdin.on('error', () => undefined);
  const order = (value: object): void => void driver.stdin.write(`${JSON.stringify(value)}\n`);
  const ended = once(driver, 'close').then(() => JSON.parse(said) as Awaited<DrivenTerminal['ended']>);
  // A test that has failed waits for nothing more.
  ended.catch(() => undefined);
  return {
    type: (text) => order({ type: text }),
    resize: (...size) => order({ size }),
    shown: () => shown,
    shows: async (text) => {
      const isThere = () => (typeof text === 'string' ? shown.includes(text) : text.test(shown));
      const until = performance.now() + LONGEST_MS;
      while (!isThere()) {
        if (performance.now() > until) throw new Error(`It never showed ${String(text)}, only:\n${shown}`);
        await setTimeout(10);
      }
    },
    close: () => void driver.stdin.end(),
    ended,
  };
}
