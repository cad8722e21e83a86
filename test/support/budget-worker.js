// Makes metered calls without end, each as the meter of a run does: sets aside what it needs, asks the provider, books what was used.
// Run as: node budget-worker.js HOME PROVIDER SESSION, until it is killed or refused. Every call uses exactly what was set aside.
import { openHome } from '../../dist/index.js';

const [, , path, provider, key] = process.argv;
const home = await openHome({ path });
const session = await home.gateway.resolve({ key, source: 'walk' });
const turn = session.beginTurn();

async function call(number) {
  const tokens = 100 + ((number * 37) % 400);
  const { reservation } = await turn.beforeCall('m', { tokens, nanoUsd: 0, certain: true });
  if (reservation === undefined) return false;
  await fetch(provider, { method: 'POST', body: String(tokens) });
  await turn.usage({ model: 'm', inputTokens: tokens }, reservation);
  return true;
}

process.stdout.write('ready\n');
for (let number = 0; ; number += 2) {
  const both = await Promise.all([call(number), call(number + 1)]);
  if (!both.includes(true)) break;
}
process.stdout.write('refused\n');
await new Promise(() => setInterval(() => {}, 1000));
