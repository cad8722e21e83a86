import { execFile } from 'node:child_process';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { coppice } from '../e2e/run-coppice.ts';
import { REAL_AGENTS, type RealAgent } from './agents.ts';
import { startLoopingModel } from './looping-model.ts';
import { placeFor, type RunPlace } from './place.ts';

const CODEX = REAL_AGENTS.find(({ name }) => name === 'codex') as RealAgent;

/** What Codex prints; rejects where it fails. */
async function codex({ work, env }: RunPlace, ...args: string[]): Promise<string> {
  const running = promisify(execFile)('codex', args, { cwd: work, env, timeout: 60_000 });
  running.child.stdin?.end();
  return (await running).stdout;
}

/** Has it say something, and gives the id of the thread. */
async function talk(place: RunPlace, ...args: string[]): Promise<string> {
  const said = await codex(place, 'exec', '--json', '--skip-git-repo-check', ...args);
  return /"thread_id":"([^"]+)"/.exec(said)?.[1] ?? '';
}

/** What its own check finds of rollouts without rows and rows without rollouts. */
async function parity(place: RunPlace): Promise<Readonly<Record<string, string>>> {
  interface Report {
    readonly checks: Readonly<Record<string, { readonly details: Readonly<Record<string, string>> }>>;
  }
  // It ends with an error because the model cannot be asked what it is, which is none of our business.
  const said = await codex(place, 'doctor', '--json').catch((error: unknown) => (error as { stdout: string }).stdout);
  const { checks } = JSON.parse(said) as Report;
  const counts = Object.entries(checks['state.rollout_db_parity']?.details ?? {});
  return Object.fromEntries(counts.filter(([key]) => /stale rows|missing|mismatches|duplicate|scan errors/.test(key)));
}

/** As if nobody had used it for two days: what was written within the hour counts as in use. */
function age(home: string): void {
  const before = Date.now() / 1000 - 2 * 86_400;
  for (const name of readdirSync(join(home, 'sessions'), { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.jsonl')) utimesSync(join(home, 'sessions', name), before, before);
}

it('a home of Codex is accepted by Codex after threads went, and after they came back', async () => {
  await using model = await startLoopingModel({ says: 'Done.' });
  const place = placeFor(CODEX, model.url);
  const home = join(place.env['HOME'] ?? '', '.codex');
  const run = async (...args: string[]) => {
    const { code, stderr, stdout } = await coppice(place.home, [...args, '--home', home], { env: place.env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };
  const [plain, base] = [await talk(place, 'One'), await talk(place, 'Two')];
  const fork = await talk(place, 'fork', base, 'Three');
  const sound = await parity(place);
  // What was just used stays, and so does what another thread needs.
  expect(
    (await coppice(place.home, ['sessions', 'delete', plain, '--yes', '--home', home], { env: place.env })).code,
  ).not.toBe(0);
  age(home);
  expect(
    (await coppice(place.home, ['sessions', 'delete', base, '--yes', '--home', home], { env: place.env })).code,
  ).not.toBe(0);
  await run('sessions', 'delete', plain, fork, '--yes');
  expect(await parity(place)).toEqual(sound);
  await expect(talk(place, 'resume', plain, 'Again')).rejects.toThrow();
  await run('undo', '--yes');
  expect(await parity(place)).toEqual(sound);
  for (const thread of [plain, base, fork]) expect(await talk(place, 'resume', thread, 'Again')).toBe(thread);
});
