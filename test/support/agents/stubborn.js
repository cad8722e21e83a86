// Ignores every polite request to end, and so does its child. Says so once both are there.
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';

process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
if (process.argv[2] === 'child') {
  writeSync(1, 'ready');
} else {
  const child = spawn(process.execPath, [process.argv[1], 'child'], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => writeSync(3, '{"coppice":"iteration"}\n'));
}
