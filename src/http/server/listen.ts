import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import { type AddressInfo, createConnection } from 'node:net';
import { dirname, resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { isLoopback } from './create-admission.ts';

/** Where to listen. Beyond this machine only if `beyond` says that this is meant. */
export type Address =
  | { readonly host: string; readonly port: number; readonly beyond?: boolean }
  | { readonly socket: string };

/** Makes a server listen and says where, or why it cannot. */
export async function listen(server: Server | SecureServer, address: Address): Promise<{ readonly url: string }> {
  if ('socket' in address) return listenOnSocket(server, resolve(address.socket));
  const { host, port, beyond = false } = address;
  if (!isLoopback(host) && !beyond) {
    throw new Failure('refused', `${host} can be reached from other machines.`, {
      hint: 'If that is meant, add --public, and --tls-cert and --tls-key or a proxy with TLS in front of it.',
    });
  }
  await begin(server, { host, port });
  const bound = server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return { url: `${server instanceof SecureServer ? 'https' : 'http'}://${name}:${bound.port}` };
}

/** The folder keeps others away, from the first moment on; the socket itself is 0600 as well. */
async function listenOnSocket(server: Server | SecureServer, path: string): Promise<{ readonly url: string }> {
  refuseSharedFolder(dirname(path));
  await removeStale(path);
  await begin(server, { path });
  chmodSync(path, 0o600);
  // It is removed when the server closes.
  return { url: `unix:${path}` };
}

function refuseSharedFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) {
    throw new Failure('not-found', `There is no folder ${folder} for the socket.`, {
      hint: `Make it with: mkdir -m 700 ${folder}`,
    });
  }
  if (process.platform === 'win32' || (found.mode & 0o077) === 0) return;
  throw new Failure('refused', `Others can reach into ${folder}, so a socket there is not safe.`, {
    hint: `Use a folder of your own, such as the home, or run: chmod 700 ${folder}`,
  });
}

/** What a daemon left that did not end well. Only a socket, and only if nobody answers there. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw new Failure('refused', `${path} is in the way: it is not a socket.`, { hint: 'Choose another path.' });
  }
  if (await answers(path)) {
    throw new Failure('locked', `Another program listens on ${path}.`, { hint: 'Stop it, or choose another path.' });
  }
  rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = createConnection(path);
    probe.once('connect', () => {
      probe.destroy();
      done(true);
    });
    probe.once('error', () => done(false));
  });
}

function begin(server: Server | SecureServer, where: { host: string; port: number } | { path: string }): Promise<void> {
  return new Promise((done, failed) => {
    const refused = (error: NodeJS.ErrnoException) => failed(cannotListen(error, where));
    server.once('error', refused);
    server.listen(where, () => {
      server.off('error', refused);
      done();
    });
  });
}

function cannotListen(error: NodeJS.ErrnoException, where: { port: number } | { path: string }): Failure {
  const place = 'path' in where ? where.path : `port ${where.port}`;
  if (error.code === 'EADDRINUSE') {
    return new Failure('locked', `Another program listens on ${place} already.`, {
      hint: 'Stop it, or choose another one with --port N.',
      cause: error,
    });
  }
  return new Failure('refused', `It is not possible to listen on ${place} (${error.code ?? error.message}).`, {
    hint: 'Choose another one with --port N or --socket PATH.',
    cause: error,
  });
}
