import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { MINUTE_MS } from '../../core/time.ts';
import { errorCode } from '../error-code.ts';
import { gitMark } from './git-at-work.ts';
import { GIT_ENVIRONMENT, GIT_SETTINGS } from './git-settings.ts';

/** Where a git command works. */
export interface GitPlace {
  readonly gitDir: string;
  readonly workTree?: string;
  readonly indexFile?: string;
}

export interface GitOptions {
  readonly input?: Buffer | string;
  /** Exit codes that are answers; anything else fails. */
  readonly okCodes?: readonly number[];
  /** Ends the command after this time; 0 is never. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Asked about each piece of output: false ends the command, which then fails. */
  readonly goOn?: (chunk: Buffer) => boolean;
  /** Told what it says on standard error, as it says it. */
  readonly onSaid?: (text: string) => void;
  /** Told which part of the input was handed over, from 0 to 1. */
  readonly onFed?: (part: number) => void;
  /** On top of the closed environment, such as a date for a commit. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A git command that did not succeed, with what it said. Callers that know what it means say it in their own words. */
export class GitError extends Error {
  readonly code: number | undefined;
  readonly stderr: string;

  constructor(args: readonly string[], answer: { code: number | undefined; stderr: string }) {
    super(`git ${args[0] ?? ''} failed (${answer.code ?? 'stopped'}): ${answer.stderr.trim().slice(0, 2000)}`);
    this.name = 'GitError';
    this.code = answer.code;
    this.stderr = answer.stderr;
  }
}

const TIME_LIMIT_MS = 10 * MINUTE_MS;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
const MAX_SAID_BYTES = 4 * 1024 * 1024;

/**
 * Runs one git command to its end. Nothing of the user's or the machine's git setup takes part: no configuration, hooks,
 * filters, credentials or prompts; paths are literal; standard input is closed or given.
 */
export async function runGit(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
  const child = startGit(place, args, options);
  const answer = await collect(child, args, options).catch((error: unknown) => {
    throw ['ENOENT', 'EACCES'].includes(errorCode(error) ?? '') ? notStarted(place, error) : error;
  });
  if (answer.code === NOT_FOUND) throw notStarted(place, new GitError(args, answer));
  if ((options.okCodes ?? [0]).includes(answer.code)) return answer;
  throw new GitError(args, answer);
}

/** Starts a git command for those who read or feed it as it goes. One that may write for long ends with this process. */
export function startGit(place: GitPlace, args: readonly string[], options: GitOptions = {}): ChildProcess {
  const command = ['git', ...GIT_SETTINGS.flatMap((setting) => ['-c', setting]), ...args];
  const leash = LONG_WRITERS.has(args[0] ?? '') ? DIES_WITH_US : [];
  const [program = 'git', ...rest] = [...leash, ...command];
  const child = spawn(program, rest, {
    cwd: place.workTree ?? place.gitDir,
    env: { ...closedEnvironment(place), ...gitMark(place.gitDir, args[0]), ...options.env },
    stdio: 'pipe',
    killSignal: 'SIGKILL',
    ...(options.signal && { signal: options.signal }),
  });
  // Not the time limit of spawn: that one goes on ticking, and keeps us from ending, when there is no git to start.
  const timeoutMs = options.timeoutMs ?? TIME_LIMIT_MS;
  const limit = timeoutMs > 0 ? setTimeout(() => child.kill('SIGKILL'), timeoutMs) : undefined;
  child.once('close', () => clearTimeout(limit));
  return child;
}

/**
 * A killed process must not leave a git behind that goes on writing after its locks are gone. The others are done in a moment
 * or only read, and starting them through another program would double what they cost.
 */
const LONG_WRITERS: ReadonlySet<string> = new Set([
  'update-index',
  'pack-objects',
  'index-pack',
  'repack',
  'prune',
  'prune-packed',
]);

const SETPRIV = '/usr/bin/setpriv';
const DIES_WITH_US = process.platform === 'linux' && existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : [];

function closedEnvironment({ gitDir, workTree, indexFile }: GitPlace): Record<string, string> {
  return {
    ...GIT_ENVIRONMENT,
    PATH: process.env['PATH'] ?? '',
    HOME: gitDir,
    GIT_DIR: gitDir,
    ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
  };
}

function collect(
  child: ChildProcess,
  args: readonly string[],
  { input, goOn, onFed, onSaid }: GitOptions,
): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let sizeBytes = 0;
    // Nothing is settled before the process has ended: the caller gives up its locks as soon as it hears.
    let failed: Error | undefined;
    child.stdout?.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      stdout.push(chunk);
      if (sizeBytes <= MAX_OUTPUT_BYTES && goOn?.(chunk) !== false) return;
      failed ??= new GitError(args, { code: undefined, stderr: 'it printed more than was wanted' });
      child.kill('SIGKILL');
    });
    let saidBytes = 0;
    child.stderr?.on('data', (chunk: Buffer) => {
      onSaid?.(chunk.toString());
      if ((saidBytes += chunk.length) <= MAX_SAID_BYTES) stderr.push(chunk);
    });
    child.on('error', (error) => {
      failed = error;
    });
    child.on('close', (code, signal) => {
      const said = Buffer.concat(stderr).toString();
      if (failed !== undefined) reject(failed);
      else if (code !== null) resolve({ code, stdout: Buffer.concat(stdout), stderr: said });
      else reject(new GitError(args, { code: undefined, stderr: `${said}\nended by ${signal}` }));
    });
    // A command that ends before it has read everything says so by its exit code.
    child.stdin?.on('error', () => undefined);
    if (onFed !== undefined && input !== undefined) feed(child, Buffer.from(input), onFed);
    child.stdin?.end(onFed === undefined ? input : undefined);
  });
}

function feed({ stdin }: ChildProcess, input: Buffer, onFed: (part: number) => void): void {
  for (let at = 0; at < input.length; at += FEED_BYTES) {
    const end = Math.min(at + FEED_BYTES, input.length);
    stdin?.write(input.subarray(at, end), () => onFed(end / input.length));
  }
}

const FEED_BYTES = 4096;

/** What the program that ends git with us answers when there is no git. */
const NOT_FOUND = 127;

/** A missing git and a directory that is missing or closed to us look the same. */
function notStarted({ gitDir, workTree = gitDir }: GitPlace, cause: unknown): Failure {
  if (!existsSync(workTree)) {
    return new Failure('not-found', `${workTree} is not there.`, { hint: 'Check the path, then try again.', cause });
  }
  if (errorCode(cause) === 'EACCES') {
    return new Failure('refused', `You may not enter ${workTree}.`, {
      hint: 'Check who owns it, then try again.',
      cause,
    });
  }
  return new Failure('failed', 'git is not installed, and checkpoints need it.', {
    hint: 'Install git (for example: apt-get install git), then try again.',
    cause,
  });
}
