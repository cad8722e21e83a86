// Adds prompts to the history as Claude Code does: opened for appending, locked by a folder beside it, a line each time.
import { appendFileSync, mkdirSync, rmdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [path, count] = process.argv.slice(2);
const lock = `${path}.lock`;

for (let n = 0; n < Number(count); n += 1) {
  appendFileSync(path, '');
  await takeLock();
  const line = {
    display: `prompt ${n}`,
    pastedContents: {},
    timestamp: Date.now(),
    project: '/work',
    sessionId: 'other',
  };
  appendFileSync(path, `${JSON.stringify(line)}\n`);
  rmdirSync(lock);
  if (n === 0) process.send('begun');
  await sleep(1);
}
process.disconnect();

async function takeLock() {
  for (;;) {
    try {
      mkdirSync(lock);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      await sleep(2);
    }
  }
}
