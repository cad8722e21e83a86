import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coppice, coppiceJson } from '../e2e/run-coppice.ts';
import { tempDir } from '../support/temp-dir.ts';
import { REAL_AGENTS, type RealAgent } from './agents.ts';
import { CALL_TOKENS, startLoopingModel } from './looping-model.ts';

const LIMIT = 5000;
const AGENTS = process.env['REAL_AGENTS_FOLDER'] ?? '';

/** Runs an agent that would never end, and says what became of it. */
async function loop({ name, prepare, args }: RealAgent, { flags, answerMs }: { flags: string[]; answerMs: number }) {
  await using model = await startLoopingModel({ answerMs });
  const base = tempDir();
  const [userHome, work, home] = [join(base, 'user'), join(base, 'work'), join(base, 'coppice')];
  for (const folder of [userHome, work]) mkdirSync(folder);
  const { env } = prepare(userHome, model.url);
  const path = `${join(AGENTS, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`;
  const limited = ['run', '--max-tokens', String(LIMIT), '--max-minutes', '2', '--require-usage', ...flags];
  const options = { cwd: work, env: { ...env, PATH: path, HOME: userHome, TERM: 'dumb' } };
  const { code, stderr } = await coppice(home, [...limited, '--', name, ...args], options);
  const { spending } = await coppiceJson<{ spending: readonly { tokens: number }[] }>(home, ['budget']);
  const booked = spending.reduce((sum, { tokens }) => sum + tokens, 0);
  return { code, stderr, booked, served: model.served() };
}

const named = (agents: readonly RealAgent[]) => agents.map((agent) => [agent.name, agent] as const);

describe('a real agent that would never end', () => {
  it.each(named(REAL_AGENTS.filter(({ isMetered }) => isMetered)))(
    '%s with the meter is stopped before the limit is passed, and exactly what was served is booked',
    async (_name, agent) => {
      const { code, stderr, booked, served } = await loop(agent, { flags: [], answerMs: 0 });
      expect({ code, stderr }).toMatchObject({ code: 124, stderr: expect.stringContaining('5,000 tokens') as string });
      expect(served).toBeGreaterThan(2);
      expect(booked).toBe(served * CALL_TOKENS);
      expect(booked).toBeLessThanOrEqual(LIMIT);
    },
  );

  it.each(named(REAL_AGENTS.filter(({ isRead }) => isRead)))(
    '%s without the meter is stopped one call after the limit at the latest, by what it writes itself',
    async (_name, agent) => {
      const { code, stderr, booked, served } = await loop(agent, { flags: ['--no-meter'], answerMs: 2000 });
      expect({ code, stderr }).toMatchObject({ code: 124, stderr: expect.stringContaining('5,000 tokens') as string });
      // The call that passed the limit, and at most one that was under way when this was read.
      expect(served).toBeLessThanOrEqual(6);
      expect(booked).toBeGreaterThan(LIMIT);
      expect(booked % CALL_TOKENS).toBe(0);
      expect(booked).toBeLessThanOrEqual(served * CALL_TOKENS);
    },
  );
});
