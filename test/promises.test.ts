import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createToken } from '../src/app/access/token-files.ts';
import { startMeterProxy } from '../src/gateway/meter/meter-proxy.ts';
import { serveHome } from './http/serve-home.ts';
import { tempDir } from './support/temp-dir.ts';

const SOURCES = join(import.meta.dirname, '../src');

/**
 * What may speak to another machine: to webhooks, to the model of a metered agent, to a daemon that somebody named, and to the bucket that
 * archives go to. One asks a socket on this machine whether anybody listens there, and the page asks the daemon that it came from.
 */
const SENDERS = [
  'client/transport.ts',
  'gateway/cron/deliver.ts',
  'gateway/meter/send-upstream.ts',
  'http/server/listen.ts',
  'objects/s3/s3-client.ts',
  'web/api/call.ts',
];

/** Ways to begin a conversation. A type alone says nothing to anybody. */
const SENDS = [
  /\bfetch\(/,
  /\bnew WebSocket\(/,
  /^import (?!type).*\b(?:request|get|connect|createConnection|createSocket|Agent)\b.* from 'node:(?:https?|http2|net|tls|dgram)'/m,
  /from '(?:undici|axios|ws|node:dns.*)'/,
];

/** Every file and folder below one, with its mode. */
function modesBelow(path: string): readonly (readonly [string, string])[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.map((entry) => {
    const { mode } = statSync(join(entry.parentPath, entry.name));
    return [join(entry.parentPath, entry.name), (mode & 0o777).toString(8)];
  });
}

describe('what SECURITY.md promises', () => {
  it('nothing is sent anywhere but to webhooks, to the model of a metered agent, to a daemon that was named and to the bucket of archives', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
    const sources = files.filter((name) => name.endsWith('.ts') && !/\.(test|conformance)\.ts$/.test(name));
    const senders = sources.filter((name) => {
      const text = readFileSync(join(SOURCES, name), 'utf8');
      return SENDS.some((way) => way.test(text));
    });
    expect(senders.toSorted()).toEqual(SENDERS);
  });

  it.skipIf(process.platform === 'win32')('a home is private, whatever the umask', async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const { home, client, ask } = await serveHome({ settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
    const workdir = tempDir();
    chmodSync(workdir, 0o700);
    createToken(home.path, { name: 'ci', scopes: ['read'], now: 0 });
    const { id } = await client.sessions.create({ source: 'api' });
    const session = await home.sessions.open(id);
    await session.append({ role: 'user', content: 'x' });
    await session.dump({ method: 'POST', url: 'https://example.com', body: {} });
    await session.end('done');
    await home.checkpoints.take({ workdir });
    await client.plans.make({ kind: 'delete', ids: [id] });
    await ask(`/api/sessions/${id}`, { method: 'DELETE' });
    await home.audit.flush();
    const modes = modesBelow(home.path);
    for (const part of ['token', 'audit', 'checkpoints', 'plans', 'trash'])
      expect([part, modes.some(([path]) => path.includes(part))]).toEqual([part, true]);
    expect(modes.filter(([, mode]) => !['700', '600', '400', '500'].includes(mode))).toEqual([]);
    expect((statSync(home.path).mode & 0o777).toString(8)).toBe('700');
  });

  it.runIf(process.platform === 'linux')('the meter listens on loopback alone', async () => {
    const proxy = await startMeterProxy({ begin: async () => 'no' });
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const { port, hostname } = new URL(proxy.base({ api: 'openai', upstream: 'http://127.0.0.1:9' }));
    expect(hostname).toBe('127.0.0.1');
    // On every other address of this machine the port is free.
    const other = createServer().listen({ host: '127.0.0.2', port: Number(port) });
    await once(other, 'listening');
    expect((other.address() as AddressInfo).port).toBe(Number(port));
    other.close();
  });

  it('nothing answers at the address of a meter once the run has ended', async () => {
    const proxy = await startMeterProxy({ begin: async () => 'no' });
    const { port } = new URL(proxy.base({ api: 'openai', upstream: 'http://127.0.0.1:9' }));
    const held = connect(Number(port), '127.0.0.1');
    await once(held, 'connect');
    const ended = once(held, 'close');
    await proxy[Symbol.asyncDispose]();
    await ended;
    const [refused] = (await once(connect(Number(port), '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(refused.code).toBe('ECONNREFUSED');
  });
});
