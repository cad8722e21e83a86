import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import type { Run } from '../../src/core/retention/run.ts';
import { captureIo } from '../capture-io.ts';
import { type Served, serveHome, TOKEN } from './serve-home.ts';

/** Several groups, so that there is something between two steps. */
const MANY = 3000;

async function furnish({ home }: Served): Promise<readonly string[]> {
  const ids = Array.from({ length: MANY }, (_, n) => `session-${n}`);
  await Promise.all(ids.map(async (id) => (await home.sessions.create({ id, source: 'many' })).end('done')));
  return ids;
}

async function left({ home }: Served): Promise<number> {
  let count = 0;
  for await (const _ of home.sessions.list({ source: 'many' })) count += 1;
  return count;
}

async function runsOf({ home }: Served): Promise<Run[]> {
  const runs: Run[] = [];
  for await (const run of (await home.retention()).runs()) runs.push(run);
  return runs;
}

describe('what takes long', () => {
  it('is told step by step to a client that listens, and at once to one that does not', async () => {
    const served = await serveHome();
    const ids = await furnish(served);
    const { id } = await served.client.plans.make({ kind: 'delete', ids });
    const steps: object[] = [];
    const onStep = (step: object) => void steps.push(step);
    const { items, done, run } = await served.client.call('POST /api/plans/{id}/apply', { id, onStep });
    expect([done, steps]).toEqual([MANY, items]);
    const response = await served.ask(`/api/runs/${run?.id}/undo`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ done: MANY });
  });

  it('ends between two steps when the client is gone, and can be undone or gone on with', async () => {
    const served = await serveHome();
    const ids = await furnish(served);
    const { id } = await served.client.plans.make({ kind: 'delete', ids });
    const stop = new AbortController();
    const onStep = () => stop.abort();
    await expect(
      served.client.call('POST /api/plans/{id}/apply', { id, onStep, signal: stop.signal }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    const rest = await served.client.plans.make({ kind: 'delete', ids });
    // Whoever changes the home next waits until the work has ended.
    expect((await served.client.plans.apply(rest.id)).done).toBeGreaterThan(0);
    expect(await left(served)).toBe(0);
    const runs = await runsOf(served);
    expect(runs).toHaveLength(2);
    for (const run of runs) await served.client.runs.undo(run.id);
    expect([await left(served), served.said]).toEqual([MANY, []]);
  });

  it('is cut short by Ctrl-C as on the machine itself', async () => {
    const served = await serveHome();
    const ids = await furnish(served);
    const { id } = await served.client.plans.make({ kind: 'delete', ids });
    const stop = new AbortController();
    const { io, out, err } = captureIo({ env: { COPPICE_TOKEN: TOKEN }, now: Date.now(), signal: stop.signal });
    const applied = main(['--remote', served.server.url, 'apply', id, '--yes'], io);
    while ((await left(served)) === MANY) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(await applied).toBe(130);
    expect(err()).toContain('Stopped. What is left was not touched. To go on, make a new plan');
    expect(out()).toMatch(/^Undo until .*: coppice undo/m);
    expect(await left(served)).toBeGreaterThan(0);
  });

  it('says so when the daemon stops in the middle', async () => {
    const served = await serveHome();
    const ids = await furnish(served);
    const { id } = await served.client.plans.make({ kind: 'delete', ids });
    let stopped: Promise<void> | undefined;
    const onStep = () => {
      stopped ??= served.server.stop();
    };
    const applying = served.client.call('POST /api/plans/{id}/apply', { id, onStep });
    await expect(applying).rejects.toMatchObject({ message: 'The daemon is stopping.', status: 503 });
    await stopped;
    expect(served.said).toEqual([]);
  });
});
