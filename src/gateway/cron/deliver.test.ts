import { readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ManualClock, manualClock, NOW } from '../../../test/support/clock.ts';
import { collectGarbage } from '../../../test/support/collect-garbage.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { DAY_MS, SECOND_MS } from '../../core/time.ts';
import type { DeliveryTarget } from './cron-job.ts';
import { deliverDue, nextAttemptAt } from './deliver.ts';

async function deliverTo(store: SessionStore, clock: ManualClock, target: DeliveryTarget) {
  await store.deliveries.promise({ id: 'd', sessionId: 'cron_../a', job: 'a', target: JSON.stringify(target) });
  return deliverDue({ deliveries: store.deliveries, clock, outputOf: async () => 'the output' });
}

/** A server that answers as it is told, and remembers what came. */
async function webhook(answer: () => number, location?: string) {
  const received: { key: string | undefined; body: unknown }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const key = request.headers['idempotency-key'];
      received.push({ key: String(key), body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.writeHead(answer(), location === undefined ? {} : { location }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received, [Symbol.dispose]: () => void server.close() };
}

const arrivedBy = (kind: DeliveryTarget['kind'], sessionId = 'cron_../a') => {
  return { arrived: [`Delivered the output of ${sessionId} by ${kind}.`], failures: [] };
};

describe('a delivery', () => {
  it('writes a file, whose name cannot leave its folder', async () => {
    const clock = manualClock();
    const root = tempDir();
    await using store = await openNativeStore(root, { clock });
    const path = join(root, 'out', '{job}', '{session}.txt');
    expect(await deliverTo(store, clock, { kind: 'file', path })).toEqual(arrivedBy('file'));
    expect(readFileSync(join(root, 'out', 'a', 'cron_.._a.txt'), 'utf8')).toBe('the output');
  });

  it('goes where a link leads, and leaves the link and the mode of the file as they are', async () => {
    const clock = manualClock();
    const root = tempDir();
    await using store = await openNativeStore(root, { clock });
    writeFileSync(join(root, 'shared.txt'), 'old', { mode: 0o644 });
    symlinkSync('shared.txt', join(root, 'latest'));
    expect(await deliverTo(store, clock, { kind: 'file', path: join(root, 'latest') })).toEqual(arrivedBy('file'));
    expect(readlinkSync(join(root, 'latest'))).toBe('shared.txt');
    expect(readFileSync(join(root, 'shared.txt'), 'utf8')).toBe('the output');
    expect(statSync(join(root, 'shared.txt')).mode & 0o777).toBe(0o644);
  });

  it('goes to a command on its standard input', async () => {
    const clock = manualClock();
    const root = tempDir();
    await using store = await openNativeStore(root, { clock });
    const command = [
      'sh',
      '-c',
      `{ cat; echo " of $COPPICE_JOB, $COPPICE_DELIVERY_ID $COPPICE_MAYBE_REPEATED"; } > ${root}/got`,
    ];
    expect(await deliverTo(store, clock, { kind: 'command', command })).toEqual(arrivedBy('command'));
    expect(readFileSync(join(root, 'got'), 'utf8')).toBe('the output of a, d 0\n');
  });

  it('has arrived when its command says so, whatever that leaves behind with its input', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    const target = { kind: 'command', command: ['sh', '-c', 'sleep 10 <&0 & exit 0'] };
    await store.deliveries.promise({ id: 'd', sessionId: 's', job: 'a', target: JSON.stringify(target) });
    const outputOf = async () => 'more than a pipe holds '.repeat(100_000);
    expect(await deliverDue({ deliveries: store.deliveries, clock, outputOf })).toEqual(arrivedBy('command', 's'));
  });

  it('to a program that is not there fails at once, and leaves nothing that keeps the process from ending', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const { failures } = await deliverTo(store, clock, { kind: 'command', command: ['/no/such/program'] });
    expect(failures).toEqual([
      'The output of cron_../a did not arrive: there is no command /no/such/program. It is tried again.',
    ]);
    // It is told of the end of what never began a moment after the error.
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('to an address where nobody answers says which, and keeps what stands behind the host to itself', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    const target = { kind: 'webhook', url: 'http://127.0.0.1:1/secret?token=x' } as const;
    expect((await deliverTo(store, clock, target)).failures).toEqual([
      expect.stringMatching(
        /^The output of cron_\.\.\/a did not arrive: the webhook at 127\.0\.0\.1:1 could not be reached \([^()?]+\)\. It is/,
      ),
    ]);
  });

  it('goes to the address that was named alone, wherever that sends it on to', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    using other = await webhook(() => 200);
    using named = await webhook(() => 307, other.url);
    const { failures } = await deliverTo(store, clock, { kind: 'webhook', url: named.url });
    expect([failures.length, named.received.length, other.received]).toEqual([1, 1, []]);
  });

  it('is tried again after a wait until the webhook takes it, with the same key and marked as perhaps repeated', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    let status = 500;
    using server = await webhook(() => status);
    expect(await deliverTo(store, clock, { kind: 'webhook', url: server.url })).toEqual({
      arrived: [],
      failures: ['The output of cron_../a did not arrive: the webhook answered 500. It is tried again.'],
    });
    const again = () => deliverDue({ deliveries: store.deliveries, clock, outputOf: async () => 'the output' });
    expect(await again()).toEqual({ arrived: [], failures: [] });
    expect(server.received).toHaveLength(1);
    clock.advance(10 * SECOND_MS);
    status = 204;
    expect(await again()).toEqual(arrivedBy('webhook'));
    expect(server.received).toMatchObject([
      { key: 'd', body: { output: 'the output', maybeRepeated: false } },
      { key: 'd', body: { output: 'the output', maybeRepeated: true } },
    ]);
    expect(await store.deliveries.open()).toEqual([]);
  });

  it('is given up after many attempts, and never waits longer than an hour', () => {
    const waits = Array.from({ length: 12 }, (_, index) => nextAttemptAt(index + 1, NOW));
    expect(waits.at(-1)).toBeUndefined();
    const times = waits.slice(0, -1).map((at) => (at ?? 0) - NOW);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.max(...times)).toBeLessThan(DAY_MS / 23);
  });

  it('of a session that is gone is an error on record, not a crash', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    await store.deliveries.promise({ id: 'd', sessionId: 's', job: 'a', target: '{"kind":"file","path":"/x"}' });
    await deliverDue({ deliveries: store.deliveries, clock, outputOf: async () => undefined });
    expect(await store.deliveries.open()).toMatchObject([{ lastError: 'the session is gone', attempts: 1 }]);
  });

  it('ends at once when nobody can wait any longer, is tried again and marked, and begins no other', async () => {
    const clock = manualClock();
    const root = tempDir();
    await using store = await openNativeStore(root, { clock });
    const answered: (() => void)[] = [];
    const server = createServer((_, response) => void answered.push(() => response.end())).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const command = ['sh', '-c', `echo >> ${root}/begun; sleep 300 & wait`];
    const slow: DeliveryTarget[] = [
      { kind: 'webhook', url },
      ...Array.from({ length: 8 }, () => ({ kind: 'command' as const, command })),
    ];
    for (const [index, target] of slow.entries())
      await store.deliveries.promise({ id: `d${index}`, sessionId: 's', job: 'a', target: JSON.stringify(target) });
    writeFileSync(join(root, 'begun'), '');
    const stop = new AbortController();
    const parts = { deliveries: store.deliveries, clock, outputOf: async () => 'x', signal: stop.signal };
    const delivering = deliverDue(parts);
    const begun = () => answered.length + readFileSync(join(root, 'begun')).length;
    await expect.poll(begun, { timeout: 20_000 }).toBe(8);
    stop.abort();
    const { arrived, failures } = await delivering;
    expect([arrived, failures.length]).toEqual([[], 8]);
    expect(failures[0]).toContain('the daemon was stopped. It is tried again.');
    const open = await store.deliveries.open();
    expect(open.map(({ state, attempts }) => `${state} ${attempts}`).toSorted()).toEqual([
      'waiting 0',
      ...Array<string>(8).fill('waiting 1'),
    ]);
  });

  it('that nobody answers ends with its time limit, and is tried again', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    // A limit that only the request knows of must outlive what the memory is cleaned of meanwhile.
    const cleaning = setInterval(collectGarbage, 20);
    onTestFinished(() => clearInterval(cleaning));
    for (const [id, target] of Object.entries({
      webhook: { kind: 'webhook', url },
      command: { kind: 'command', command: ['sleep', '300'] },
    }))
      await store.deliveries.promise({ id, sessionId: 's', job: 'a', target: JSON.stringify(target) });
    const parts = { deliveries: store.deliveries, clock, outputOf: async () => 'x', timeLimitMs: 300 };
    expect((await deliverDue(parts)).failures.toSorted()).toEqual([
      'The output of s did not arrive: the command ended with SIGKILL. It is tried again.',
      `The output of s did not arrive: the webhook at ${new URL(url).host} did not answer in time. It is tried again.`,
    ]);
  });

  it('that takes long holds up no other', async () => {
    const clock = manualClock();
    const root = tempDir();
    await using store = await openNativeStore(root, { clock });
    // The first waits for what the second does.
    const waits = `until [ -e ${root}/there ]; do sleep 0.02; done`;
    for (const [id, script] of [
      ['d1', waits],
      ['d2', `touch ${root}/there`],
    ] as const) {
      const target = JSON.stringify({ kind: 'command', command: ['sh', '-c', script] });
      await store.deliveries.promise({ id, sessionId: 's', job: 'a', target });
    }
    const { arrived } = await deliverDue({ deliveries: store.deliveries, clock, outputOf: async () => 'the output' });
    expect(arrived).toHaveLength(2);
  });
});
