import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { campaignSize, TORTURE } from '../support/campaign.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type DaemonProcess, endDaemon, startDaemon } from './daemon-process.ts';

const HEAP_ON_SIGNAL = new URL('../support/heap-on-signal.js', import.meta.url);
const PATIENCE = { timeout: 1_200_000 };
const FOLLOWERS = campaignSize({ usual: 60, torture: 300 });
const APPENDERS = campaignSize({ usual: 10, torture: 50 });
const IDLE = campaignSize({ usual: 1500, torture: 10_000 });
const ROUNDS = campaignSize({ usual: 2, torture: 3 });
const SECONDS = Number(process.env['COPPICE_LOAD_SECONDS'] ?? (TORTURE ? 600 : 2)) / ROUNDS;
/** Memory that is not given back to the machine at once, and what a warm program keeps. */
const MOST_GROWN_BYTES = 128 * 1024 * 1024;
/** Of so many sessions the transcripts stay open. */
const MOST_TRANSCRIPTS = 32;
/** What is in use may grow by from one time to the next, however much was added in between. */
const MOST_GROWN_HEAP_BYTES = 2 * 1024 * 1024;

async function open(daemon: DaemonProcess): Promise<Socket> {
  const socket = connect(Number(new URL(daemon.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** Follows the events and counts the messages that it was told of. */
async function follow(daemon: DaemonProcess): Promise<{ told: number; readonly socket: Socket }> {
  const socket = await open(daemon);
  const follower = { told: 0, socket };
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += String(chunk);
    const end = text.lastIndexOf('\n');
    for (const [, count] of text.slice(0, end).matchAll(/"figures":\{"count":(\d+)/g)) follower.told += Number(count);
    text = text.slice(end);
  });
  socket.write(
    `GET /api/events?type=messages-added HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${daemon.token}\r\n\r\n`,
  );
  await once(socket, 'data');
  return follower;
}

/** Adds messages to a session of its own until the time is over. Returns how many were acknowledged. */
async function append({ client }: DaemonProcess, until: number): Promise<number> {
  const { id } = await client.sessions.create({ source: 'load' });
  let count = 0;
  // At least one, however slow the machine is.
  do await client.sessions.append(id, [{ role: 'user', content: `message ${(count += 1)}` }]);
  while (performance.now() < until);
  expect((await client.sessions.get(id)).messageCount).toBe(count);
  return count;
}

function handlesOf({ child }: DaemonProcess): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

function memoryOf({ child }: DaemonProcess): number {
  const [, pages] = readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4096;
}

/** A daemon that can be asked what it keeps in memory. */
async function startObserved() {
  const place = tempDir();
  const file = join(place, 'heap');
  const env = { NODE_OPTIONS: `--import ${HEAP_ON_SIGNAL.href}`, HEAP_FILE: file };
  const daemon = await startDaemon(join(place, 'home'), undefined, { env });
  const heap = async (): Promise<number> => {
    rmSync(file, { force: true });
    daemon.child.kill('SIGUSR2');
    await expect.poll(() => existsSync(file), PATIENCE).toBe(true);
    return Number(readFileSync(file, 'utf8'));
  };
  return { daemon, heap };
}

/** Everybody follows and appends for a while. Returns how many messages were added, and what was taken in memory meanwhile. */
async function loadOnce(daemon: DaemonProcess): Promise<{ added: number; peak: number }> {
  const followers = await Promise.all(Array.from({ length: FOLLOWERS }, () => follow(daemon)));
  const until = performance.now() + SECONDS * 1000;
  const counts = await Promise.all(Array.from({ length: APPENDERS }, () => append(daemon, until)));
  const added = counts.reduce((sum, count) => sum + count, 0);
  for (let tries = 0; tries < 100 && followers.some(({ told }) => told < added); tries += 1) await setTimeout(100);
  expect(new Set(followers.map(({ told }) => told))).toEqual(new Set([added]));
  const peak = memoryOf(daemon);
  for (const { socket } of followers) socket.destroy();
  return { added, peak };
}

async function settled(daemon: DaemonProcess, handles: number): Promise<void> {
  for (let tries = 0; tries < 200 && handlesOf(daemon) > handles; tries += 1) await setTimeout(100);
}

describe.skipIf(process.platform !== 'linux')('a daemon under load', () => {
  it(
    'tells every follower of every message, and is as small as before when they are gone, time after time',
    PATIENCE,
    async () => {
      const { daemon, heap } = await startObserved();
      // Everything is loaded and warm before it is measured.
      await append(daemon, performance.now() + 500);
      const before = { handles: handlesOf(daemon), memory: memoryOf(daemon) };
      // The connections of the appenders are kept alive, and so are the transcripts of their sessions, for a while.
      const kept = before.handles + 2 * APPENDERS + MOST_TRANSCRIPTS + 8;
      const heaps: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const { added, peak } = await loadOnce(daemon);
        await settled(daemon, kept);
        expect(handlesOf(daemon)).toBeLessThanOrEqual(kept);
        heaps.push(await heap());
        const grown = memoryOf(daemon) - before.memory;
        if (TORTURE) console.log({ FOLLOWERS, APPENDERS, SECONDS, added, before, peak, grown, heap: heaps.at(-1) });
        expect(grown).toBeLessThan(MOST_GROWN_BYTES);
      }
      // The first time warms it up. What grows after that would grow for ever.
      expect(Math.max(...heaps) - (heaps[0] ?? 0)).toBeLessThan(MOST_GROWN_HEAP_BYTES);
      expect(await endDaemon(daemon, 'SIGTERM')).toBe(0);
    },
  );

  it('answers beside thousands of idle connections, and lets go of them', PATIENCE, async () => {
    const { daemon, heap } = await startObserved();
    await append(daemon, performance.now() + 200);
    const before = { handles: handlesOf(daemon), memory: memoryOf(daemon), heap: await heap() };
    const idle: Socket[] = [];
    while (idle.length < IDLE) idle.push(...(await Promise.all(Array.from({ length: 100 }, () => open(daemon)))));
    expect(await append(daemon, performance.now() + 500)).toBeGreaterThan(0);
    // Those over which no token came are few, however many knock.
    expect(handlesOf(daemon)).toBeLessThan(before.handles + 1200);
    for (const socket of idle) socket.destroy();
    await settled(daemon, before.handles + 8);
    expect(handlesOf(daemon)).toBeLessThanOrEqual(before.handles + 8);
    const grown = memoryOf(daemon) - before.memory;
    const grownHeap = (await heap()) - before.heap;
    if (TORTURE) console.log({ IDLE, before, grown, grownHeap });
    expect(grown).toBeLessThan(MOST_GROWN_BYTES);
    expect(grownHeap).toBeLessThan(2 * MOST_GROWN_HEAP_BYTES);
    expect(await endDaemon(daemon, 'SIGTERM')).toBe(0);
  });
});
