import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { createClient } from '../../src/client/client.ts';
import { captureIo } from '../capture-io.ts';
import { tempDir } from '../support/temp-dir.ts';
import { serveHome, TOKEN } from './serve-home.ts';

const HAS_OPENSSL = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A certificate that signed itself, for this machine. */
function certificate(names = 'DNS:localhost,DNS:coppice.test,IP:127.0.0.1', days = 2) {
  const folder = tempDir();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-subj',
    '/CN=x',
  ];
  const more = ['-days', String(days), '-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert];
  execFileSync('openssl', [...made, ...more], { stdio: 'ignore' });
  chmodSync(key, 0o600);
  return { cert, key };
}

/** The certificate that a server shows. */
function shownBy(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

async function saidBy(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => String(error),
  );
}

describe.skipIf(!HAS_OPENSSL)('TLS (skipped where there is no openssl to make a certificate)', () => {
  it('is spoken with a certificate, and a client that knows it gets in', async () => {
    const tls = certificate();
    const { server } = await serveHome({ tls });
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const ca = readFileSync(tls.cert, 'utf8');
    using client = createClient({ url: server.url, token: TOKEN, ca });
    const { id } = await client.sessions.create({ source: 'api' });
    await client.sessions.append(id, [{ role: 'user', content: 'x'.repeat(100_000) }]);
    expect((await client.sessions.get(id)).messageCount).toBe(1);
    using stranger = createClient({ url: server.url, token: TOKEN });
    expect(await saidBy(stranger.usage())).toContain('a certificate that this machine does not trust');
  });

  it('works for commands with COPPICE_CA_FILE, and says what to do without', async () => {
    const tls = certificate();
    const { server } = await serveHome({ tls });
    const type = async (env: Record<string, string>, url = server.url) => {
      const { io, out, err } = captureIo({ env: { COPPICE_TOKEN: TOKEN, ...env } });
      return { code: await main(['--remote', url, 'sessions', 'list'], io), said: out() + err() };
    };
    expect((await type({ COPPICE_CA_FILE: tls.cert })).code).toBe(0);
    expect(await type({})).toMatchObject({ code: 5, said: expect.stringContaining('set COPPICE_CA_FILE') });
    expect(await type({ COPPICE_CA_FILE: '/nothing/here' })).toMatchObject({ code: 2 });
    const plain = await serveHome();
    const wrong = plain.server.url.replace('http:', 'https:');
    expect(await type({}, wrong)).toMatchObject({ code: 5, said: expect.stringContaining('does not speak TLS') });
  });

  it('says that a certificate is for another name', async () => {
    const tls = certificate('DNS:elsewhere.test');
    const { server } = await serveHome({ tls });
    using client = createClient({ url: server.url, token: TOKEN, ca: readFileSync(tls.cert, 'utf8') });
    expect(await saidBy(client.usage())).toContain('a certificate for another name');
  });

  it('takes up a certificate that was replaced, and goes on with the one before where the new one is of no use', async () => {
    const [tls, next] = [certificate(), certificate()];
    const { server } = await serveHome({ tls });
    const first = await shownBy(server.url);
    expect(server.renewCertificate()).toBeUndefined();
    // The key of the next one is not there yet.
    renameSync(next.cert, tls.cert);
    expect(server.renewCertificate()).toContain('is not used, the one before goes on');
    expect([await shownBy(server.url), server.renewCertificate()]).toEqual([first, undefined]);
    renameSync(next.key, tls.key);
    expect(server.renewCertificate()).toContain('was replaced');
    expect(await shownBy(server.url)).not.toBe(first);
  });

  it('is refused with a key that others can read, that is of another certificate, or with files that hold none', async () => {
    const [tls, other] = [certificate(), certificate()];
    const refusal = (given: typeof tls) => saidBy(serveHome({ tls: given }));
    chmodSync(tls.key, 0o640);
    expect(await refusal(tls)).toContain('Others can read the key');
    chmodSync(tls.key, 0o600);
    expect(await refusal({ cert: tls.cert, key: other.key })).toContain('does not belong to the certificate');
    expect(await refusal({ cert: '/nothing/here', key: tls.key })).toContain(
      'The certificate in /nothing/here cannot be read',
    );
    writeFileSync(other.cert, 'no certificate');
    expect(await refusal({ cert: other.cert, key: tls.key })).toContain('holds no certificate');
    const late = { now: () => Date.now() + 10 * 24 * 3_600_000 };
    expect(await saidBy(serveHome({ tls, clock: late }))).toContain('expired at');
  });

  it('answers to the names in the certificate, and to no others', async () => {
    const tls = certificate();
    const { server } = await serveHome({ tls });
    const { request } = await import('node:https');
    const statusFor = (host: string) =>
      new Promise((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${TOKEN}` };
        const { hostname, port } = new URL(server.url);
        const sent = request({ host: hostname, port, path: '/api/usage', headers, rejectUnauthorized: false });
        sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
        sent.end();
      });
    expect(await statusFor('coppice.test:7717')).toBe(200);
    for (const host of ['evil.test', '10.0.0.1', '[::2]', '@', 'a b'])
      expect([host, await statusFor(host)]).toEqual([host, 403]);
  });

  it('changes nothing about who may be let in from elsewhere', async () => {
    const refused = serveHome({ tls: certificate(), address: { host: '0.0.0.0', port: 0 } });
    await expect(refused).rejects.toMatchObject({ code: 'refused', hint: expect.stringContaining('--public') });
  });
});

it('a certificate without its key, and one for a socket, are refused', async () => {
  const { home } = await serveHome();
  const type = async (...words: string[]) => {
    const { io, err } = captureIo({ env: {} });
    return { code: await main(['--home', home.path, 'serve', ...words], io), said: err() };
  };
  const both = ['--tls-cert', 'x', '--tls-key', 'y'];
  expect(await type('--tls-cert', 'x')).toMatchObject({ code: 2, said: expect.stringContaining('needs its key') });
  expect(await type('--socket', 's', ...both)).toMatchObject({ code: 2, said: expect.stringContaining('--socket') });
});
