import { describe, expect, it } from 'vitest';
import { coppice } from '../e2e/run-coppice.ts';
import { REAL_AGENTS, type RealAgent } from './agents.ts';
import { CALL_TOKENS, startLoopingModel } from './looping-model.ts';
import { bookedIn, placeFor } from './place.ts';

const LIMIT = 5000;

/** Runs an agent that would never end, and says what became of it. */
async function loop(agent: RealAgent, { flags, answerMs }: { flags: string[]; answerMs: number }) {
  await using model = await startLoopingModel({ answerMs });
  const { home, work, env } = placeFor(agent, model.url);
  const limited = ['run', '--max-tokens', String(LIMIT), '--max-minutes', '2', '--require-usage', ...flags];
  const options = { cwd: work, env: { ...env, TERM: 'dumb' } };
  const { code, stderr } = await coppice(home, [...limited, '--', agent.name, ...agent.args], options);
  const { tokens: booked } = await bookedIn(home);
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
