// Loaded into a process before everything else: at SIGUSR2 it clears its memory of what nobody needs any more, and writes down what is left.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  // Once is not enough for what is let go of in turns.
  for (let times = 0; times < 4; times += 1) collect();
  const file = process.env.HEAP_FILE;
  writeFileSync(`${file}.part`, String(process.memoryUsage().heapUsed));
  renameSync(`${file}.part`, file);
});
