import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { errorText } from '../../../core/error-text.ts';
import { refuseMissingCommand } from '../../../platform/machine/find-command.ts';
import { signalGroup } from '../../../platform/machine/process-group.ts';
import { currentProcess } from '../../../platform/machine/process-identity.ts';
import { setTerminalSize, sizeWords, type TerminalSize } from '../../../platform/machine/terminal-mode.ts';
import type { Child, ChildOptions } from '../child.ts';
import { childEnv } from '../child-env.ts';
import { notStarted } from '../not-started.ts';
import { RUNS_VARIABLE } from '../run-record.ts';
import { type JobPipes, openJobPipes } from './job-pipes.ts';
import { type JobOptions, jobShell, jobShellInTerminal } from './job-shell.ts';
import { createJobTalk, type JobTalk, type StartedJob } from './job-talk.ts';
import { createOwnTerminal, type OwnTerminal, type RunTerminal } from './own-terminal.ts';
import { createScreenModes, type ScreenModes } from './screen-modes.ts';

export interface TerminalChildOptions extends ChildOptions {
  readonly terminal: RunTerminal;
  /** Whether what it says on standard error is to come by a pipe of its own. */
  readonly hasOwnErrors: boolean;
  /** Says to the person why something is not as it should be. */
  readonly tell: (text: string) => Promise<void>;
}

/**
 * Starts the command in a terminal of its own that is shown on that of the person. Where none can be made it gets the terminal of the
 * person itself, and nobody sees what it shows there but they.
 */
export async function startInTerminal(options: TerminalChildOptions): Promise<Child> {
  try {
    refuseMissingCommand(options.command, options);
  } catch (error) {
    throw notStarted(options, error);
  }
  const screen = createScreenModes();
  const own = createOwnTerminal({ ...options.terminal, screen });
  try {
    return await startShown(options, { screen, own });
  } catch (error) {
    await options.tell(
      `No terminal could be made for the agent (${errorText(error)}), so it gets yours: it is watched as always, and what it shows is not recorded.`,
    );
  }
  try {
    return await startOnOwn(options, own);
  } catch (error) {
    own.restore();
    throw notStarted(options, error);
  }
}

interface Terminals {
  readonly screen: ScreenModes;
  readonly own: OwnTerminal;
}

async function startShown(options: TerminalChildOptions, { screen, own }: Terminals): Promise<Child> {
  const { hasOwnErrors } = options;
  using pipes = await openJobPipes();
  const { events, tells, hears, shown, typed, errors } = pipes;
  const { command, args, env } = jobShellInTerminal(jobOf(options, own));
  const stdio = [typed, shown, tells, events, tells, hears, errors].map(({ child }) => child);
  const { shell, talk, started } = await startShell(
    () => spawn(command, args, { ...placeOf(options, env), detached: true, stdio }),
    { pipes, onStopped: () => own.suspend() },
  );
  pipes.taken(events, shown, typed);
  if (hasOwnErrors) pipes.taken(errors);
  own.connect({ typedFd: typed.ours, onSize: sizeSetter(started.terminal) });
  const restore = (): void => {
    endShell(shell);
    own.restore();
  };
  return {
    identity: identityOf(started),
    stdoutFd: shown.ours,
    ...(hasOwnErrors && { stderrFd: errors.ours }),
    eventsFd: events.ours,
    exited: talk.exited,
    terminal: { mode: own.mode[0], back: screen.back, see: screen.see, release: talk.release, restore },
  };
}

/** The shell runs on the terminal of the person, in their process group, until its job has taken the foreground. */
async function startOnOwn(options: TerminalChildOptions, own: OwnTerminal): Promise<Child> {
  using pipes = await openJobPipes();
  const { events, tells, hears } = pipes;
  const { command, args } = jobShell({ ...jobOf(options, own), settings: own.mode, hasOwnErrors: false });
  const stdio: StdioOptions = ['inherit', 'inherit', 'inherit', events.child, tells.child, hears.child];
  const { talk, started } = await startShell(() => spawn(command, args, { ...placeOf(options), stdio }), {
    pipes,
    onStopped: () => own.suspend(),
  });
  pipes.taken(events);
  const screen = { back: () => '', see: () => undefined };
  const terminal = { ...screen, mode: own.mode[0], release: talk.release, restore: () => own.restore() };
  return { identity: identityOf(started), eventsFd: events.ours, exited: talk.exited, terminal };
}

interface StartedShell {
  readonly shell: ChildProcess;
  readonly talk: JobTalk;
  readonly started: StartedJob;
}

async function startShell(
  start: () => ChildProcess,
  { pipes, onStopped }: { readonly pipes: JobPipes; readonly onStopped: () => void },
): Promise<StartedShell> {
  const { tells, hears } = pipes;
  const shell = start();
  const failed = new Promise<never>((_, reject) => shell.once('error', reject));
  pipes.given();
  pipes.taken(tells, hears);
  const talk = createJobTalk({ tellsFd: tells.ours, hearsFd: hears.ours, onStopped });
  try {
    return { shell, talk, started: await Promise.race([failed, talk.started]) };
  } catch (error) {
    endShell(shell);
    talk.release();
    throw error;
  }
}

/** It ends by itself once it is let go; this is for one that does not, and harms nobody else: it is a child, and leads its group. */
function endShell(shell: ChildProcess): void {
  if (shell.exitCode === null && shell.signalCode === null && shell.pid !== undefined)
    signalGroup(shell.pid, 'SIGKILL');
}

function jobOf({ command, args, env, runId, hasOwnErrors }: TerminalChildOptions, own: OwnTerminal): JobOptions {
  const runIds = [env[RUNS_VARIABLE], runId].filter(Boolean).join(' ');
  const settings = [...own.mode, ...sizeWords(own.size())];
  return { command, args, settings, runIds, shell: env['SHELL'], hasOwnErrors };
}

/** Without the mark of the run, which the shell gives to the command alone. */
function placeOf(options: ChildOptions, own: NodeJS.ProcessEnv = {}): { cwd: string; env: NodeJS.ProcessEnv } {
  const { cwd, env } = options;
  return { cwd, env: { ...childEnv(options), [RUNS_VARIABLE]: env[RUNS_VARIABLE], ...own } };
}

function identityOf({ pid, startedAt }: StartedJob): Child['identity'] {
  return { ...currentProcess(), pid, startedAt };
}

/** Sets one size after the other, and of many that come meanwhile the last. */
function sizeSetter(terminal: string): (size: TerminalSize) => void {
  let next: TerminalSize | undefined;
  let busy = false;
  const set = async (): Promise<void> => {
    busy = true;
    for (let size = next; size !== undefined; size = next) {
      next = undefined;
      await setTerminalSize(terminal, size);
    }
    busy = false;
  };
  return (size) => {
    next = size;
    if (!busy) void set();
  };
}
