import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../src/core/shell-word.ts';
import { RUNS_VARIABLE } from '../../src/gateway/run/run-record.ts';
import { processesMarked } from '../../src/platform/machine/process-group.ts';
import { BIN } from '../e2e/run-coppice.ts';
import { REAL_AGENTS, type RealAgent } from './agents.ts';
import { CALL_TOKENS, type LoopingModel, type LoopingModelOptions, startLoopingModel } from './looping-model.ts';
import { bookedIn, placeFor, type RunPlace } from './place.ts';
import { hasTmux, openTmux, type TmuxTerminal } from './tmux-terminal.ts';

const SENTENCE = 'Hello from the model.';

/** An agent that waits for a prompt in a terminal, under Coppice, and the person in front of it. */
interface Started extends AsyncDisposable {
  readonly terminal: TmuxTerminal;
  readonly model: LoopingModel;
  readonly place: RunPlace;
  /** Every process of the run bears it. */
  readonly mark: string;
  /** What the terminal was like before. */
  readonly modesBefore: string;
  /** Types a prompt and sends it. */
  ask(prompt: string): Promise<void>;
  /** Whether this file of a mode tells the one that the terminal had. */
  isAsBefore(file: string): boolean;
  /** Waits until the shell is back. Says with which status, and whether the terminal has the mode that it had. */
  left(): Promise<{ readonly status: number; readonly sameMode: boolean; readonly modes: string }>;
}

async function startInTerminal(
  agent: RealAgent,
  { flags = [], ...modelOptions }: LoopingModelOptions & { readonly flags?: readonly string[] },
): Promise<Started> {
  const model = await startLoopingModel(modelOptions);
  const place = placeFor(agent, model.url);
  const { base, work, home } = place;
  const env = { ...place.env, COPPICE_HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' };
  const terminal = openTmux({ folder: base, cwd: work, env });
  const dispose = async (): Promise<void> => {
    terminal[Symbol.dispose]();
    await model[Symbol.asyncDispose]();
  };
  const mark = randomUUID();
  const modesBefore = terminal.modes();
  terminal.line(shellLine(agent, mark, flags));
  try {
    await terminal.shows(agent.inTerminal.ready);
  } catch (error) {
    await dispose();
    throw error;
  }
  const textOf = (name: string): string => readFileSync(join(work, name), 'utf8');
  const isAsBefore = (file: string): boolean => existsSync(join(work, file)) && textOf(file) === textOf('before');
  return {
    terminal,
    model,
    place,
    mark,
    modesBefore,
    isAsBefore,
    async ask(prompt) {
      terminal.type(prompt);
      await terminal.shows(prompt);
      terminal.press('Enter');
    },
    async left() {
      await expect.poll(() => existsSync(join(work, 'over')), { timeout: 120_000 }).toBe(true);
      return { status: Number(textOf('status')), sameMode: isAsBefore('after'), modes: terminal.modes() };
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** The agent under Coppice, between two looks at the mode of the terminal. */
function shellLine({ name, inTerminal }: RealAgent, mark: string, flags: readonly string[]): string {
  const command = [process.execPath, BIN, 'run', ...flags, '--', name, ...inTerminal.args].map(shellWord).join(' ');
  // The number is that of the supervisor: it takes the place of the shell that wrote it down.
  const run = `sh -c 'echo $$ >pid; exec env ${RUNS_VARIABLE}=${mark} "$@"' sh ${command}`;
  return `clear; stty -g >before; ${run}; echo $? >status; stty -g >after; touch over`;
}

const named = (agents: readonly RealAgent[]) => agents.map((agent) => [agent.name, agent] as const);

describe.runIf(hasTmux)('a real agent in a terminal', () => {
  it.each(named(REAL_AGENTS))(
    '%s is talked to, resized, interrupted and left as without Coppice',
    async (_name, agent) => {
      await using started = await startInTerminal(agent, { says: SENTENCE });
      const { terminal, modesBefore } = started;
      await started.ask('hello there');
      await terminal.shows(SENTENCE);
      terminal.resize(72, 22);
      terminal.type('never sent');
      await terminal.shows('never sent');
      // Ctrl-C is for the agent: it takes back what was typed.
      terminal.press('C-c');
      await terminal.hides('never sent');
      terminal.press(...agent.inTerminal.quit);
      expect(await started.left()).toMatchObject({ sameMode: true, modes: modesBefore });
      expect(terminal.screen()).toContain('coppice: Session ');
      await expect.poll(() => processesMarked(started.mark)).toEqual([]);
    },
  );

  it.each(named(REAL_AGENTS))('%s is stopped at its limit, and the screen says why', async (_name, agent) => {
    // One that is not metered is noticed while it waits.
    await using started = await startInTerminal(agent, {
      flags: ['--max-tokens', '5000'],
      answerMs: agent.isMetered ? 0 : 2000,
    });
    const { terminal, model, modesBefore } = started;
    await started.ask('go on for ever');
    expect(await started.left()).toEqual({ status: 124, sameMode: true, modes: modesBefore });
    // Each on a line of its own, below what the agent drew.
    expect(terminal.screen()).toMatch(
      /^coppice: Stopped\. This session has used [\d,]+ tokens of 5,000 tokens(, and the next call needs about [\d,]+ tokens)?\.$/m,
    );
    expect(terminal.screen()).toMatch(/^coppice: To go on, run it again: .* higher --max-tokens\.$/m);
    const { tokens } = await bookedIn(started.place.home);
    expect(tokens).toBeLessThanOrEqual(model.served() * CALL_TOKENS);
    if (agent.isMetered) expect(tokens).toBe(model.served() * CALL_TOKENS);
    expect(tokens).toBeLessThanOrEqual(5000 + (agent.isMetered ? 0 : 2 * CALL_TOKENS));
    await expect.poll(() => processesMarked(started.mark)).toEqual([]);
  });

  it.runIf(process.platform === 'linux').each(named(REAL_AGENTS))(
    '%s ends when its supervisor is killed, and leaves an ordinary terminal',
    async (_name, agent) => {
      await using started = await startInTerminal(agent, { answerMs: 1000 });
      const { terminal, model, modesBefore } = started;
      await started.ask('go on for ever');
      await expect.poll(() => model.served(), { timeout: 120_000 }).toBeGreaterThan(1);
      process.kill(Number(readFileSync(join(started.place.work, 'pid'), 'utf8')), 'SIGKILL');
      // The shell may be back before the terminal is set right: what it sees is not looked at.
      expect(await started.left()).toMatchObject({ status: 137 });
      await expect.poll(() => processesMarked(started.mark), { timeout: 30_000 }).toEqual([]);
      expect(terminal.modes()).toBe(modesBefore);
      terminal.line('stty -g >later');
      await expect.poll(() => started.isAsBefore('later')).toBe(true);
    },
  );

  it('claude with a dollar feels like claude, and stops at the dollar', async () => {
    const claude = REAL_AGENTS.find(({ name }) => name === 'claude') as RealAgent;
    const times = 60;
    await using started = await startInTerminal(claude, { flags: ['--max-usd', '1'], times });
    const { terminal, model, modesBefore } = started;
    await started.ask('go on for ever');
    expect(await started.left()).toEqual({ status: 124, sameMode: true, modes: modesBefore });
    const { tokens, costUsd } = await bookedIn(started.place.home);
    expect(tokens).toBe(model.served() * CALL_TOKENS * times);
    expect(costUsd).toBeLessThanOrEqual(1);
    // One call more would have been too much.
    expect(costUsd * (1 + 1 / model.served())).toBeGreaterThan(1);
    expect(terminal.screen()).toMatch(/^coppice: Stopped\. This session has used \$0\.\d\d of \$1\.00/m);
    expect(terminal.screen()).toMatch(/^coppice: To go on, run it again: .* higher --max-usd\.$/m);
  });
});
