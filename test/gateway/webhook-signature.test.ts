import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createToken } from '../../src/app/access/token-files.ts';
import { openHome } from '../../src/app/open-home.ts';
import { MINUTE_MS } from '../../src/core/time.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { serveHome, TOKEN } from '../http/serve-home.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { examplesIn } from '../support/documentation.ts';
import { tempDir } from '../support/temp-dir.ts';

const SECRET = 'a-long-s3cret-of-webhooks';

interface Received {
  readonly signature: string | undefined;
  readonly body: string;
}

async function webhook() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = request.headers['coppice-signature'];
      received.push({ signature: signature?.toString(), body: Buffer.concat(chunks).toString() });
      response.end();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

function secretFile(): string {
  const path = join(tempDir(), 'secret');
  writeFileSync(path, `${SECRET}\n`, { mode: 0o600 });
  return path;
}

/** What the guide tells people to do at the other end. */
async function fromTheGuide(): Promise<(header: string, body: string, secret: string, now?: number) => boolean> {
  const example = examplesIn('ts').find(({ code }) => code.includes('isFromCoppice'));
  const file = join(tempDir(), 'verify.ts');
  writeFileSync(file, example?.code ?? '');
  const loaded = (await import(/* @vite-ignore */ file)) as { isFromCoppice: never };
  return loaded.isFromCoppice;
}

describe('a delivery to a webhook', () => {
  it('is signed so that the example of the guide knows it, and nothing else', async () => {
    const clock = manualClock();
    const settings = [{ key: 'webhooks.secret_file', value: secretFile() }];
    await using home = await openHome({ path: tempDir(), clock, env: {}, settings });
    const { received, url } = await webhook();
    const scheduler = await home.scheduler();
    const command = ['echo', 'grüße'];
    await scheduler.add('report', { schedule: '1 12 * * *', command, deliver: [{ webhook: url }] });
    await scheduler.run('report');
    const [{ signature = '', body } = { signature: '', body: '' }] = received;
    expect(signature).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
    const isFromCoppice = await fromTheGuide();
    expect(isFromCoppice(signature, body, SECRET, NOW)).toBe(true);
    expect(isFromCoppice(signature, `${body} `, SECRET, NOW)).toBe(false);
    expect(isFromCoppice(signature, body, `${SECRET}x`, NOW)).toBe(false);
    expect(isFromCoppice(signature, body, SECRET, NOW + 10 * MINUTE_MS)).toBe(false);
    expect(isFromCoppice(signature.replace(/^t=\d+/, 't=9999999999'), body, SECRET, 9_999_999_999_000)).toBe(false);
    for (const wrong of ['', 't=,v1=', 'x']) expect(isFromCoppice(wrong, body, SECRET, NOW)).toBe(false);
  });

  it('bears no signature where no secret is set', async () => {
    await using home = await openHome({ path: tempDir(), env: {} });
    const { received, url } = await webhook();
    const scheduler = await home.scheduler();
    await scheduler.add('report', { schedule: '1 12 * * *', command: ['true'], deliver: [{ webhook: url }] });
    await scheduler.run('report');
    expect(received).toMatchObject([{ signature: undefined }]);
  });

  it('is not sent without the signature that somebody expects, and says what is missing', async () => {
    const file = secretFile();
    const settings = [{ key: 'webhooks.secret_file', value: file }];
    await using home = await openHome({ path: tempDir(), env: {}, settings });
    const { received, url } = await webhook();
    const scheduler = await home.scheduler();
    await scheduler.add('report', { schedule: '1 12 * * *', command: ['true'], deliver: [{ webhook: url }] });
    chmodSync(file, 0o644);
    expect([(await scheduler.run('report')).undelivered, received]).toEqual([1, []]);
  });

  it('and an agent are started without the variable that has the secret', async () => {
    const settings = [{ key: 'webhooks.secret_env', value: 'TEST_WEBHOOK_SECRET' }];
    process.env['TEST_WEBHOOK_SECRET'] = SECRET;
    onTestFinished(() => void delete process.env['TEST_WEBHOOK_SECRET']);
    const path = tempDir();
    await using home = await openHome({ path, env: {}, settings });
    const { received, url } = await webhook();
    const command = ['sh', '-c', `env > ${path}/got`];
    const deliver = [{ webhook: url }, { command }];
    const scheduler = await home.scheduler();
    await scheduler.add('report', { schedule: '1 12 * * *', command: ['env'], deliver });
    expect((await scheduler.run('report')).undelivered).toBe(0);
    expect(received[0]?.signature).toMatch(/^t=/);
    expect(received[0]?.body).not.toContain(SECRET);
    expect(readFileSync(join(path, 'got'), 'utf8')).not.toContain(SECRET);
  });
});

it('no secret is in anything that is written, told or answered', async () => {
  const clock = manualClock();
  const path = join(tempDir(), 'home');
  const { received, url } = await webhook();
  const settings = [{ key: 'webhooks.secret_file', value: secretFile() }];
  const served = await serveHome({ path, clock, settings });
  const { home, ask } = served;
  const { token } = createToken(path, { name: 'ci', scopes: ['read', 'append', 'manage', 'run'], now: NOW });
  const told: string[] = [];
  const stop = new AbortController();
  const following = (async () => {
    for await (const event of home.gateway.events({ after: 0, signal: stop.signal })) told.push(JSON.stringify(event));
  })();
  const place = url.replace('http://', 'http://me:p4ssw0rd@');
  await (await home.scheduler()).add('report', {
    schedule: '1 12 * * *',
    command: ['true'],
    deliver: [{ webhook: place }],
  });
  const daemon = new Daemon({ home, clock, say: (line) => told.push(line) });
  const headers = { authorization: `Bearer ${token}` };
  await ask('/api/cron/report/run', { method: 'POST', headers });
  await ask('/api/sessions/nothing', { method: 'DELETE', headers: { authorization: 'Bearer coppice_guessed' } });
  clock.advance(MINUTE_MS);
  await daemon.step();
  for (const at of ['/api/config', '/api/cron', '/api/audit', '/api/status', '/metrics', '/openapi.json'])
    told.push(await (await ask(at, { headers })).text());
  await home.audit.flush();
  await daemon.stop();
  stop.abort();
  await following;
  expect(received.length).toBeGreaterThan(0);
  const secrets = [SECRET, token.slice(8), TOKEN, 'guessed'];
  const everything = [...told, ...served.said].join('\n');
  for (const secret of [...secrets, 'p4ssw0rd']) expect(everything).not.toContain(secret);
  // The job is written down with its address, in the database of the home and nowhere else.
  for (const file of filesBelow(path)) {
    const bytes = readFileSync(file);
    for (const secret of secrets) expect([file, bytes.includes(secret)]).toEqual([file, false]);
    if (!file.includes('state.db')) expect([file, bytes.includes('p4ssw0rd')]).toEqual([file, false]);
  }
});

function filesBelow(root: string): string[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name));
  return paths.filter((file) => statSync(file).isFile() && !file.endsWith('-shm'));
}
