import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAY_MS, isoTime } from '../../src/core/time.ts';
import { walkTree } from '../../src/platform/files/walk-tree.ts';
import { coppice, coppiceJson, finished } from '../e2e/run-coppice.ts';
import { REAL_AGENTS, type RealAgent } from './agents.ts';
import { type LoopingModel, startLoopingModel } from './looping-model.ts';
import { placeFor, type RunPlace } from './place.ts';

/** How an agent begins a session of a certain id, and goes on with it. */
interface KeptHome {
  readonly folder: string;
  readonly begin: (id: string) => readonly string[];
  readonly resume: (id: string) => readonly string[];
}

const HOMES: Readonly<Record<string, KeptHome>> = {
  gemini: {
    folder: '.gemini',
    begin: (id) => ['-p', 'Say hello', '--approval-mode', 'yolo', '--session-id', id],
    resume: (id) => ['-p', 'Say more', '--approval-mode', 'yolo', '--resume', id],
  },
  copilot: {
    folder: '.copilot',
    begin: (id) => ['-p', 'Say hello', '--allow-all', '--session-id', id],
    resume: (id) => ['-p', 'Say more', '--allow-all', `--resume=${id}`],
  },
};

const TALK = { says: 'Hello to you.' };

function start({ name }: RealAgent, { work, env }: RunPlace, args: readonly string[]) {
  const child = spawn(name, args, { cwd: work, env: { ...env, TERM: 'dumb' }, timeout: 90_000 });
  child.stdin.end();
  return child;
}

/** The home of an agent at a place of its own. */
function homeOf(agent: RealAgent, model: LoopingModel) {
  const place = placeFor(agent, model.url);
  const { folder, begin, resume } = HOMES[agent.name] ?? {};
  if (folder === undefined || begin === undefined || resume === undefined) throw new Error(`no home of ${agent.name}`);
  const path = join(place.env['HOME'] ?? '', folder);
  const run = async (args: readonly string[]) => (await finished(start(agent, place, args))).code;
  const ask = (...args: string[]) => coppice(place.home, [...args, '--home', path], { env: place.env });
  const ids = async () => {
    const listed = ['sessions', 'list', '--home', path];
    return (await coppiceJson<{ sessions: { id: string }[] }>(place.home, listed)).sessions.map(({ id }) => id);
  };
  return { place, path, begin, resume, run, ask, ids };
}

/** Nobody waits for two days: what was written today was written then. */
function age(home: string): void {
  const then = (Date.now() - 2 * DAY_MS) / 1000;
  for (const { path, kind } of walkTree(home, { skips: (each) => each === '.coppice' })) {
    const file = join(home, path);
    if (kind !== 'file') continue;
    if (/\/chats\/.*\.jsonl$/.test(path)) {
      const text = readFileSync(file, 'utf8');
      writeFileSync(
        file,
        text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => isoTime(Date.parse(at) - 2 * DAY_MS)),
      );
    }
    utimesSync(file, then, then);
  }
}

const agents = REAL_AGENTS.filter(({ name }) => name in HOMES).map((agent) => [agent.name, agent] as const);

describe('the home of a real agent', () => {
  it.each(agents)(
    '%s goes on with what stayed and what came back, and knows nothing of what went',
    async (_, agent) => {
      await using model = await startLoopingModel(TALK);
      const { path, begin, resume, run, ask, ids } = homeOf(agent, model);
      const [gone, kept] = [randomUUID(), randomUUID()];
      for (const id of [gone, kept]) expect(await run(begin(id))).toBe(0);
      age(path);
      expect(new Set(await ids())).toEqual(new Set([gone, kept]));

      expect(await ask('sessions', 'delete', gone, '--yes')).toMatchObject({ code: 0 });
      expect(await run(resume(gone))).not.toBe(0);
      expect(await run(resume(kept))).toBe(0);

      expect(await ask('undo', '--yes')).toMatchObject({ code: 0 });
      expect(await run(resume(gone))).toBe(0);
      expect(await ids()).toContain(gone);
    },
  );

  it.each(agents)('%s loses nothing while it is in the middle of a turn', async (_, agent) => {
    await using model = await startLoopingModel({ ...TALK, answerMs: 20_000 });
    const { place, path, begin, ask, ids } = homeOf(agent, model);
    const id = randomUUID();
    const child = start(agent, place, begin(id));
    const ended = finished(child);
    await expect.poll(ids, { timeout: 60_000, interval: 500 }).toEqual([id]);
    // However old its files may be.
    age(path);
    const { code, stdout } = await ask('sessions', 'delete', id, '--yes');
    expect({ code, stdout }).toMatchObject({ code: 3, stdout: expect.stringContaining('in use') as string });
    expect(await ids()).toEqual([id]);
    child.kill('SIGKILL');
    await ended;
    // What a program leaves that was killed holds nothing.
    age(path);
    expect(await ask('sessions', 'delete', id, '--yes')).toMatchObject({ code: 0 });
    expect(await ids()).toEqual([]);
    expect(await ask('undo', '--yes')).toMatchObject({ code: 0 });
    expect(await ids()).toEqual([id]);
  });
});
