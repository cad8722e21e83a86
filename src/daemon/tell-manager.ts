import { spawn } from 'node:child_process';

/** Tells the service manager that started this process how it is. Says nothing where none wants to know. */
export interface ManagerTeller {
  readonly ready: () => void;
  readonly stopping: () => void;
  /** Called again and again while all is well. A watchdog starts the process again when nothing is told for too long. */
  readonly alive: () => void;
}

/**
 * Systemd takes messages on a kind of socket that Node cannot write to, so its own program `systemd-notify` sends them. What says where
 * is taken out of the environment: agents that this process starts have nothing to tell.
 */
export function createManagerTeller(env: NodeJS.ProcessEnv, now: () => number): ManagerTeller {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, PATH } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  if (NOTIFY_SOCKET === undefined) return { ready: nothing, stopping: nothing, alive: nothing };
  const everyMs = Number(WATCHDOG_USEC ?? 0) / 1000 / 4;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (words: string): void => {
    const teller = spawn('systemd-notify', [words], { env: { NOTIFY_SOCKET, PATH }, stdio: 'ignore' });
    // What could not be told is told again, or the watchdog does what it is there for.
    teller.on('error', () => undefined);
    teller.unref();
  };
  return {
    ready: () => tell('READY=1'),
    stopping: () => tell('STOPPING=1'),
    alive() {
      if (everyMs === 0 || now() - toldAt < everyMs) return;
      toldAt = now();
      tell('WATCHDOG=1');
    },
  };
}

function nothing(): void {}
