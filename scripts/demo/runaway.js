// An agent that never stops by itself: it says what each step cost on the event channel, and goes on.
import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

for (let step = 1; ; step += 1) {
  console.log(`step ${step}: trying again`);
  writeSync(3, `${JSON.stringify({ coppice: 'iteration' })}\n`);
  writeSync(
    3,
    `${JSON.stringify({ coppice: 'usage', model: 'large', inputTokens: 3000, outputTokens: 400, costUsd: 0.02 })}\n`,
  );
  await setTimeout(50);
}
