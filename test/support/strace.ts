import { spawnSync } from 'node:child_process';

export interface Traced {
  readonly calls: readonly string[];
  /** Where to write what it sees. */
  readonly log?: string;
  /** Looks at calls on these files alone. */
  readonly paths?: readonly string[];
  /** What comes between the process and a call, such as `rename:signal=SIGKILL:when=3`. */
  readonly inject?: string;
}

/** The beginning of a command line: `strace` on all threads of what follows. */
export function strace({ calls, log = '/dev/null', paths = [], inject }: Traced): readonly string[] {
  const injected = inject === undefined ? [] : ['-e', `inject=${inject}`];
  const files = paths.flatMap((path) => ['-P', path]);
  // Much faster where it can be had: signals are lost on the way to a process that stops at these calls alone.
  const alone = inject?.includes('signal=') === true ? [] : ['--seccomp-bpf'];
  return ['strace', '-f', ...alone, '-qq', '-o', log, ...files, '-e', `trace=${calls.join()}`, ...injected];
}

const [COMMAND = '', ...OPTIONS] = strace({ calls: ['rename'] });

/** True where `strace` is installed and allowed to trace. */
export const STRACE_WORKS = spawnSync(COMMAND, [...OPTIONS, 'true']).status === 0;
