import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GitDeath {
  /** The git command that dies, such as `update-ref`. */
  readonly command: string;
  /** The system call before which it dies, and which one of them. */
  readonly call: string;
  readonly when: number;
  /** Git alone, or with it the process that started it. */
  readonly who: 'git' | 'both';
}

/** A folder to put before all others in the path: its `git` is the real one, and dies once, where it is told. */
export function killingGit(dir: string, { command, call, when, who }: GitDeath): string {
  const victim = who === 'git' ? '$$' : '$PPID';
  return wrapper(dir, command, {
    options: `-e trace=${call} -e inject=${call}:signal=SIGKILL:when=${when}`,
    after: `[ $code -gt 128 ] && rm ${join(dir, 'git')} && kill -KILL ${victim}`,
  });
}

/** The same, but its `git` lives and counts its calls into a file: one line for each call of each git of this command. */
export function countingGit(dir: string, command: string, calls: readonly string[]): string {
  return wrapper(dir, command, { options: `-A -e trace=${calls.join()}`, log: join(dir, 'calls'), after: ':' });
}

/** How often each call was seen, in the git that made most of them. */
export function countedCalls(dir: string, calls: readonly string[]): Map<string, number> {
  const lines = readFileSync(join(dir, 'calls'), 'utf8').split('\n');
  return new Map(calls.map((call) => [call, lines.filter((line) => line.startsWith(`${call}(`)).length]));
}

interface Wrapping {
  readonly options: string;
  readonly log?: string;
  readonly after: string;
}

function wrapper(dir: string, command: string, { options, log = '/dev/null', after }: Wrapping): string {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
case " $* " in
  *" ${command} "*)
    strace -qq -o ${log} ${options} ${git} "$@"
    code=$?
    ${after}
    exit $code ;;
esac
exec ${git} "$@"
`;
  writeFileSync(join(dir, 'git'), script);
  chmodSync(join(dir, 'git'), 0o755);
  return dir;
}
