import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A terminal with a shell in it, in front of which a test is the person. Full-screen programs ask their terminal what it can do and wait for
 * its answer, so it is tmux: it draws what they show, and answers.
 */
export interface TmuxTerminal extends Disposable {
  /** Types text as it is. */
  type(text: string): void;
  /** Presses a key by its name for tmux: `Enter`, `C-c`. */
  press(...keys: readonly string[]): void;
  /** Types a line for the shell and presses Enter. */
  line(text: string): void;
  resize(columns: number, rows: number): void;
  /** What stands on the screen. */
  screen(): string;
  /** Which screen it is, whether the cursor is seen, whether somebody listens to the mouse: what a program may leave behind. */
  modes(): string;
  /** Waits until this stands on the screen. */
  shows(text: string | RegExp): Promise<void>;
  /** Waits until this is gone. */
  hides(text: string): Promise<void>;
}

export interface TmuxOptions {
  /** For its socket; nobody else's terminal is reached through it. */
  readonly folder: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** Some agents try for a long time to reach what cannot be reached here. */
const LONGEST_MS = 120_000;
const LOOK_MS = 100;
const MODES = [
  'alternate_on',
  'cursor_flag',
  'insert_flag',
  'keypad_cursor_flag',
  'keypad_flag',
  'mouse_any_flag',
  'origin_flag',
  'wrap_flag',
]
  .map((name) => `${name} #{${name}}`)
  .join(', ');

export function openTmux({ folder, cwd, env }: TmuxOptions): TmuxTerminal {
  const tmux = (...args: readonly string[]): string => {
    const own = ['-S', join(folder, 'tmux'), '-f', '/dev/null'];
    const { status, stdout, stderr } = spawnSync('tmux', [...own, ...args], { cwd, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  tmux('new-session', '-d', '-x', '100', '-y', '30', 'sh');
  const type = (text: string): void => void tmux('send-keys', '-l', '--', text);
  const press = (...keys: readonly string[]): void => void tmux('send-keys', '--', ...keys);
  const screen = (): string => tmux('capture-pane', '-p', '-J');
  const until = async (isSo: (seen: string) => boolean, what: string): Promise<void> => {
    const longest = performance.now() + LONGEST_MS;
    for (let seen = screen(); !isSo(seen); seen = screen()) {
      if (performance.now() > longest) throw new Error(`The screen never ${what}, but:\n${seen}`);
      await sleep(LOOK_MS);
    }
  };
  return {
    type,
    press,
    line(text) {
      type(text);
      press('Enter');
    },
    resize: (columns, rows) => void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    screen,
    modes: () => tmux('display-message', '-p', MODES),
    shows: (text) =>
      until((seen) => (typeof text === 'string' ? seen.includes(text) : text.test(seen)), `showed ${text}`),
    hides: (text) => until((seen) => !seen.includes(text), `lost ${text}`),
    [Symbol.dispose]: () => void tmux('kill-server'),
  };
}
