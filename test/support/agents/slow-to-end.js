// Asked to end, it takes a moment to say its last words. Asked twice, it ends without them, as many programs do.
import { writeSync } from 'node:fs';

let asked = 0;
process.on('SIGTERM', () => {
  asked += 1;
  if (asked > 1) process.exit(1);
  setTimeout(() => {
    writeSync(3, '{"coppice":"note","text":"last words"}\n');
    process.exit(0);
  }, 200);
});
setInterval(() => {}, 1000);
writeSync(3, '{"coppice":"iteration"}\n');
