// Carries out one act on a home at a fixed time. Run as: node engine-worker HOME ACT TIME
// Says at the end, as JSON, what came of it; a failure is said too, with its code.
import { Failure } from '../../src/core/failure.ts';
import { openEngineHome } from './engine-home.ts';
import { SCENARIOS } from './engine-scene.ts';

const [, , path = '', name, time] = process.argv;
process.stdout.write(`${JSON.stringify((await act().catch(failed)) ?? {})}\n`);

async function act() {
  await using at = await openEngineHome(path, { clock: { now: () => Number(time) } });
  if (name === 'recover') return at.retention.settle();
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no act ${name}`);
  const { skipped } = await scenario.act(at, await scenario.plan?.(at));
  return { skipped };
}

function failed(error: unknown) {
  return { failed: error instanceof Failure ? error.code : 'bug', message: error instanceof Error && error.stack };
}
