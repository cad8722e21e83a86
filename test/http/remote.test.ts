import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../capture-io.ts';
import { type Served, serveHome, TOKEN } from './serve-home.ts';

const NOW = Date.now();

/** Runs the same command on the home itself and through its daemon. */
function commands({ home, server }: Served) {
  const run = async (args: readonly string[], env: Record<string, string>) => {
    const { io, out, err } = captureIo({ env, now: NOW });
    return { code: await main(args, io), stdout: out(), stderr: err() };
  };
  return {
    near: (...args: string[]) => run(['--home', home.path, ...args], {}),
    far: (...args: string[]) => run(['--remote', server.url, ...args], { COPPICE_TOKEN: TOKEN }),
    run,
  };
}

async function furnish({ home }: Served): Promise<string> {
  const session = await home.sessions.create({
    source: 'cli',
    title: 'About needles',
    model: 'm',
    workdir: '/projects/x',
  });
  await session.append({ role: 'user', content: 'Where is the needle?' });
  await session.append({ role: 'assistant', content: [{ type: 'text', text: 'In the haystack.' }] });
  await session.recordUsage({ model: 'm', inputTokens: 10, outputTokens: 2, costUsd: 0.25 });
  await session.end('done');
  const live = await home.gateway.resolve({ key: 'telegram:42', source: 'telegram' });
  await live.append({ role: 'user', content: 'hello' });
  await (await home.scheduler()).add('report', { schedule: '0 7 * * *', command: ['true'] });
  await home.apply(await home.plan({ kind: 'delete', ids: [(await home.sessions.create({ source: 'x' })).id] }));
  return session.id;
}

/** Hints lead to the place that was typed. */
/** Where a command was typed, and who runs jobs there, is all that may differ. */
function placeless<T>(printed: T): T {
  const text = JSON.stringify(printed)
    .replaceAll(/ --(home|remote) [^\s"\\]+/g, '')
    .replace('Jobs run only while this is running: coppice serve', 'WHO RUNS')
    .replace('The daemon that answered runs them, as long as it is running.', 'WHO RUNS');
  return JSON.parse(text) as T;
}

describe('coppice --remote', () => {
  it('lists every key, however many there are', async () => {
    const served = await serveHome();
    const keys = Array.from({ length: 700 }, (_, n) => `k${String(n).padStart(3, '0')}`);
    await Promise.all(keys.map((key) => served.home.gateway.resolve({ key, source: 'cli' })));
    const { code, stdout } = await commands(served).far('sessions', 'routes', '--json');
    const { routes } = JSON.parse(stdout) as { routes: readonly { readonly key: string }[] };
    expect(code).toBe(0);
    expect(routes.map(({ key }) => key)).toEqual(keys);
  });

  it('says the same as the command on the machine itself', async () => {
    const served = await serveHome();
    const id = await furnish(served);
    const { near, far } = commands(served);
    const lines = [
      ['sessions', 'list'],
      ['sessions', 'list', '--source', 'cli', '--since', '7d', '--sort', 'bytes'],
      ['sessions', 'search', 'needle'],
      ['sessions', 'routes'],
      ['sessions', 'show', id.slice(0, 30)],
      ['sessions', 'tail', id, '--messages', '1'],
      ['budget', '--by', 'source'],
      ['cron', 'list'],
      ['runs'],
    ];
    for (const line of lines) {
      for (const args of [line, ['--json', ...line]]) {
        const here = await near(...args);
        expect([args, here.code, here.stdout.length > 20]).toEqual([args, 0, true]);
        expect([args, placeless(await far(...args))]).toEqual([args, placeless(here)]);
      }
    }
  });

  it('plans, applies and undoes on the machine of the daemon', async () => {
    const served = await serveHome();
    const id = await furnish(served);
    const { far } = commands(served);
    const { id: planId } = await served.client.plans.make({ kind: 'delete', ids: [id] });
    const applied = await far('apply', planId, '--yes', '--json');
    expect([applied.code, JSON.parse(applied.stdout)]).toEqual([0, expect.objectContaining({ done: 1, skipped: 0 })]);
    expect((await far('sessions', 'show', id)).code).toBe(10);
    const runs = JSON.parse((await far('runs', '--json')).stdout) as { runs: { id: string }[] };
    expect((await far('runs', 'show', runs.runs[0]?.id ?? '')).stdout).toContain(id);
    expect((await far('undo', '--yes')).code).toBe(0);
    expect((await far('sessions', 'show', id)).stdout).toContain('About needles');
    expect(await far('plan')).toMatchObject({ code: 0, stderr: '' });
    expect((await far('apply', planId, '--yes')).code).toBe(10);
  });

  it('starts and ends conversations there', async () => {
    const served = await serveHome();
    const { far } = commands(served);
    const resolved = JSON.parse((await far('sessions', 'resolve', 'slack:7', '--json')).stdout) as { session: object };
    expect(resolved).toMatchObject({ key: 'slack:7', resolution: { kind: 'created' }, session: { source: 'slack' } });
    expect((await far('sessions', 'reset', 'slack:7')).stdout).toContain('starts afresh');
    expect(await far('sessions', 'reset', 'nobody')).toMatchObject({ code: 10, stdout: '' });
  });

  it('shows the settings that the daemon goes by, and checks the file as it stands', async () => {
    const served = await serveHome({ settings: [{ key: 'trash.grace_days', value: '3' }] });
    const { far } = commands(served);
    const file = join(served.home.path, 'config.yaml');
    expect(await far('config', 'path')).toMatchObject({ code: 0, stdout: `${file}\n` });
    const { stdout } = await far('config', 'show', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      file,
      settings: [{ key: 'trash.grace_days', value: 3, level: 'flag' }],
    });
    writeFileSync(file, 'trash:\n  grace_days: none\n');
    const { code, stdout: said } = await far('config', 'check');
    expect([code, said]).toEqual([2, expect.stringContaining(`${file}:2:15: trash.grace_days`)]);
    expect(JSON.parse((await far('config', 'show', '--effective', '--json')).stdout)).toMatchObject({
      settings: expect.arrayContaining([expect.objectContaining({ key: 'trash.grace_days', value: 3 })]) as object,
    });
    expect(await far('config', 'show')).toMatchObject({ code: 0, stdout: 'trash:\n  grace_days: none\n' });
    rmSync(file);
    expect((await far('config', 'show')).stdout).toContain(`There is no ${file}`);
    expect(await far('config', 'check', '--set', 'trash.grace_days=4')).toMatchObject({ code: 2, stdout: '' });
  });

  it('says what is wrong with the address, the token or the daemon', async () => {
    const { server } = await serveHome();
    const { run } = commands(await serveHome());
    const list = (url: string, env: Record<string, string>) => run(['--remote', url, 'sessions', 'list'], env);
    expect(await list(server.url, { COPPICE_TOKEN: 'wrong' })).toMatchObject({ code: 5 });
    const nobody = await list('http://127.0.0.1:1', { COPPICE_TOKEN: 'x' });
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('No daemon answers')]);
    expect((await list('ftp://x', { COPPICE_TOKEN: 'x' })).code).toBe(2);
    expect((await list(server.url, { COPPICE_TOKEN_FILE: '/nothing/here' })).code).toBe(2);
  });

  it('keeps the token of this machine on this machine', async () => {
    const { run } = commands(await serveHome());
    const { code, stderr } = await run(['--remote', 'http://daemon.example:7717', 'runs'], {});
    expect([code, stderr]).toEqual([2, expect.stringContaining('COPPICE_TOKEN')]);
  });
});
