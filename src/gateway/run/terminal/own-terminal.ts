import { Socket } from 'node:net';
import { writeAll } from '../../../platform/files/write-all.ts';
import { atExit } from '../../../platform/machine/at-exit.ts';
import {
  RAW,
  readTerminalMode,
  readTerminalSize,
  setTerminalMode,
  type TerminalSize,
} from '../../../platform/machine/terminal-mode.ts';
import type { ScreenModes } from './screen-modes.ts';

/** The terminal of the person who started the run: where they type, and where the agent is shown. */
export interface RunTerminal {
  readonly input: NodeJS.ReadStream & { readonly fd: number };
  readonly output: NodeJS.WriteStream & { readonly fd: number };
}

export interface OwnTerminal {
  /** The mode it had, as words for `stty`; none where nobody can tell. */
  readonly mode: readonly string[];
  size(): TerminalSize;
  /** From now on everything that is typed goes there, unchanged, and each new size is told. */
  connect(agent: TerminalUser): void;
  /** Gives the terminal back to the shell that started this process, and takes it again when that lets it go on. */
  suspend(): void;
  /** Takes back what the run changed. The next line stands on an ordinary screen. */
  restore(): void;
}

export interface TerminalUser {
  /** The writing end of a pipe, which is closed at the end. */
  readonly typedFd: number;
  readonly onSize: (size: TerminalSize) => void;
}

export interface OwnTerminalOptions extends RunTerminal {
  readonly screen: ScreenModes;
}

export function createOwnTerminal({ input, output, screen }: OwnTerminalOptions): OwnTerminal {
  const first = readTerminalMode(input.fd);
  const mode = first === undefined ? [] : [first];
  const setBack = (): void => void (mode.length > 0 && setTerminalMode(input.fd, mode));
  let disconnect: (() => void) | undefined;
  let agent: TerminalUser | undefined;
  const size = (): TerminalSize => ({ rows: output.rows, columns: output.columns });

  const connect = (user: TerminalUser): void => {
    agent = user;
    setTerminalMode(input.fd, RAW);
    const typed = new Socket({ fd: user.typedFd, readable: false, writable: true });
    // Whoever it was typed for may be gone, and so may the terminal.
    typed.on('error', () => undefined);
    input.on('error', ignore);
    input.pipe(typed);
    const resized = (): void => user.onSize(size());
    output.on('resize', resized);
    disconnect = () => {
      output.off('resize', resized);
      input.unpipe(typed);
      input.pause();
      typed.destroy();
    };
  };
  const restore = (): void => {
    forgetExit();
    disconnect?.();
    disconnect = undefined;
    show(output.fd, screen.back());
    setBack();
  };
  const forgetExit = atExit(restore);

  return {
    mode,
    size,
    connect,
    suspend() {
      // Where the agent has this very terminal, it is in the foreground, and its mode is for the shells to see to.
      if (agent !== undefined) setBack();
      // As the terminal itself does it. Where no shell would take over, the system passes over it, and the run goes on.
      process.kill(0, 'SIGTSTP');
      if (agent === undefined) return;
      setTerminalMode(input.fd, RAW);
      // What happened to the window meanwhile was told to others.
      agent.onSize(readTerminalSize(output.fd) ?? size());
    },
    restore,
  };
}

function show(fd: number, text: string): void {
  if (text === '') return;
  try {
    writeAll(fd, Buffer.from(text));
  } catch {
    // The terminal is gone.
  }
}

function ignore(): void {}
