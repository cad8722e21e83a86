import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentRun } from '../../src/app/gateway/run-agent.ts';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { coppice, coppiceJson } from '../e2e/run-coppice.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

function agent(home: Home, script: string, over: Partial<AgentRun> = {}) {
  return home.gateway.run({ command: 'sh', args: ['-c', script], cwd: home.path, ...over });
}

const event = (fields: object) => `echo '${JSON.stringify(fields)}' >&3`;

describe('an agent under watch', () => {
  it('has its messages, usage, title and output on record, and its exit passed through', async () => {
    await using home = await openHome({ path: tempDir(), env: {} });
    const script = [
      event({ coppice: 'title', title: 'A report' }),
      event({ coppice: 'message', role: 'user', content: 'Write the report.' }),
      event({ coppice: 'usage', model: 'large', inputTokens: 100, outputTokens: 20, costUsd: 0.25 }),
      event({ coppice: 'usage', model: 'large', inputTokens: 150, cumulative: true }),
      event({ coppice: 'usage', model: 'large', inputTokens: 180, cumulative: true }),
      'echo all done; exit 3',
    ].join('\n');
    const { session, exitStatus, cause } = await agent(home, script, { source: 'test' });
    expect({ exitStatus, cause }).toEqual({ exitStatus: 3, cause: { kind: 'exited' } });
    expect(session).toMatchObject({ title: 'A report', source: 'test', endReason: 'failed: exit 3' });
    expect(session.usage).toMatchObject({ inputTokens: 280, outputTokens: 20, costUsd: 0.25 });
    const messages = await collect((await home.sessions.open(session.id)).messages());
    expect(messages.map(({ role, name, content }) => [role, name, content])).toEqual(
      expect.arrayContaining([
        ['user', undefined, 'Write the report.'],
        ['tool', 'stdout', 'all done\n'],
      ]),
    );
  });

  it('is said to have as many messages as lists show, run after run: what it prints is none', async () => {
    const home = join(tempDir(), 'home');
    const script = ['echo before', event({ coppice: 'message', role: 'user', content: 'hello' }), 'echo after'].join(
      '\n',
    );
    const run = ['run', '--key', 'chat', '--', 'sh', '-c', script];
    expect((await coppice(home, run)).stderr).toMatch(/: 1 message, 13 B printed\.\n$/);
    expect((await coppice(home, run)).stderr).toMatch(/: 2 messages, 13 B printed\.\n$/);
    const { sessions } = await coppiceJson<{ sessions: readonly object[] }>(home, ['sessions', 'list']);
    expect(sessions).toMatchObject([{ messageCount: 2, outputCount: expect.any(Number) as number }]);
  });

  it('is stopped when it burns tokens, billed for what it used, and stopped on record', async () => {
    await using home = await openHome({ path: tempDir(), env: {} });
    const burn = event({ coppice: 'usage', model: 'large', inputTokens: 1000, costUsd: 0.1 });
    const { session, exitStatus, cause } = await agent(home, `while true; do ${burn}; done`, { maxTokens: 10_000 });
    expect(exitStatus).toBe(124);
    expect(cause.kind).toBe('stopped');
    expect(session.endReason).toMatch(/^budget: tokens \(session\) \d+ of 10000$/);
    const { inputTokens, costUsd } = session.usage;
    expect(costUsd).toBeCloseTo(inputTokens / 10_000, 6);
    expect((await home.gateway.spend('session'))[0]?.used.tokens).toBe(inputTokens);
  });

  it('is stopped strictly at its number of steps', async () => {
    await using home = await openHome({ path: tempDir(), env: {} });
    const { session } = await agent(home, `while true; do ${event({ coppice: 'iteration' })}; done`, {
      maxIterations: 7,
    });
    expect(session.endReason).toBe('budget: iterations (session) 7 of 7');
  });

  it('is stopped when its conversation is full, on record, and the next one starts afresh', async () => {
    const settings = [{ key: 'limits.messages', value: '5' }];
    await using home = await openHome({ path: tempDir(), env: {}, settings });
    const say = event({ coppice: 'message', role: 'assistant', content: 'more' });
    const fail = event({ coppice: 'tool', name: 'bash', ok: false });
    // What it still says when it was asked to end is recorded, and changes nothing about why.
    const said = [...Array<string>(5).fill(say), ...Array<string>(9).fill(fail)];
    const script = ["trap 'asked=1' TERM", ...said, 'until [ "$asked" ]; do sleep 0.05; done'].join('\n');
    const talk = () => agent(home, script, { key: 'telegram:42', source: 'telegram' });
    const { session, exitStatus } = await talk();
    expect([exitStatus, session.endReason]).toEqual([124, 'budget: messages (session) 5 of 5']);
    expect((await talk()).session).toMatchObject({ parentId: session.id, childKind: 'reset' });
  });

  it('is stopped when its tools keep failing', async () => {
    await using home = await openHome({ path: tempDir(), env: {} });
    const { session } = await agent(
      home,
      `while true; do ${event({ coppice: 'tool', name: 'bash', ok: false })}; done`,
    );
    expect(session.endReason).toMatch(/^guard: tool-errors/);
  });

  it('that cannot be started has a session that says so and takes nothing more', async () => {
    await using home = await openHome({ path: tempDir(), env: {} });
    await expect(agent(home, '', { command: 'no-such-agent' })).rejects.toMatchObject({ code: 'usage' });
    const [session] = await collect(home.sessions.list());
    expect(session?.endReason).toBe('failed: There is no command no-such-agent.');
    await expect(agent(home, '', { command: 'no-such-agent', key: 'telegram:42' })).rejects.toThrow();
    expect((await home.gateway.resolve({ key: 'telegram:42', source: 'telegram' })).resolution.kind).toBe('continued');
  });

  it('goes on in the session of its key, which stays open', async () => {
    await using home = await openHome({ path: tempDir(), env: {} });
    const key = { key: 'telegram:42', source: 'telegram' };
    const first = await agent(home, 'echo one', key);
    const second = await agent(home, 'echo two', key);
    expect(second.session.id).toBe(first.session.id);
    expect(second.session.endedAt).toBeUndefined();
    expect(second.session).toMatchObject({ messageCount: 0, outputCount: 2 });
  });

  it('whose supervisor was killed is ended and closed by the next start', async () => {
    const path = tempDir();
    await killSupervisor(path);
    await using home = await openHome({ path, env: {} });
    await agent(home, 'true');
    const reasons = (await collect(home.sessions.list())).map(({ endReason }) => endReason);
    expect(new Set(reasons)).toEqual(new Set(['crash', 'done']));
  });

  it('whose supervisor was killed does not end the session of its key while another works in it', async () => {
    const path = tempDir();
    await using home = await openHome({ path, env: {} });
    const run = agent(home, 'while [ -e state.db ] && [ ! -e end ]; do sleep 0.02; done; echo still here', {
      cwd: path,
      key: 'cli:app',
    });
    await expect.poll(() => collect(home.gateway.routes()), { timeout: 30_000 }).toHaveLength(1);
    await killSupervisor(path, { key: 'cli:app' });
    await home.gateway.closeOrphans();
    writeFileSync(join(path, 'end'), '');
    const { session, exitCode } = await run;
    expect([exitCode, session.endReason]).toEqual([0, undefined]);
    expect(await collect(home.sessions.list())).toHaveLength(1);
  });
});

/** Starts a run in a process of its own, which is killed when the agent has begun. */
async function killSupervisor(path: string, run: { readonly key?: string } = {}): Promise<void> {
  const script = `
    import { openHome } from '${new URL('../../dist/index.js', import.meta.url).pathname}';
    const home = await openHome({ path: ${JSON.stringify(path)}, env: {} });
    const agent = { command: 'sh', args: ['-c', 'echo started; exec sleep 1000'], io: { stdout: 1 } };
    await home.gateway.run({ ...agent, ...${JSON.stringify(run)} });`;
  const supervisor = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(supervisor.stdout, 'data');
  supervisor.kill('SIGKILL');
  await once(supervisor, 'close');
}
