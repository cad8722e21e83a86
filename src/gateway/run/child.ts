import type { ProcessIdentity } from '../../core/sessions/lease-holder.ts';

/** A command to start. */
export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly sessionId: string;
  readonly runId: string;
  /** What it puts into an event that it prints, so that nobody else's text can be one. */
  readonly nonce: string;
  readonly stdin: 'inherit' | 'ignore';
  /** The file in which it finds what it is advised. */
  readonly advice?: string | undefined;
}

/**
 * A command that runs as the leader of its own process group. The numbers are the reading ends of its pipes; it has none for what it
 * shows elsewhere.
 */
export interface Child {
  readonly identity: ProcessIdentity;
  readonly stdoutFd?: number;
  readonly stderrFd?: number;
  readonly eventsFd: number;
  readonly exited: Promise<ChildExit>;
  /** Present where it has a terminal. */
  readonly terminal?: ChildTerminal;
}

/** The terminal that a command runs in, and that of the person who watches. */
export interface ChildTerminal {
  /** The mode that the terminal of the person had, and what has to be shown on it to set it right. */
  readonly mode: string | undefined;
  readonly back: () => string;
  /** Told what is shown on the terminal of the person. */
  readonly see: (bytes: Buffer) => void;
  /** Nothing of the run is left that could show anything. */
  readonly release: () => void;
  /** All of it was shown: takes back what the run changed about the terminal of the person. */
  readonly restore: () => void;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}
