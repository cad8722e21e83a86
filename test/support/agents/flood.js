// Writes the given number of megabytes to standard output, as fast as they are taken.
import { writeSync } from 'node:fs';

const block = Buffer.alloc(1024 * 1024, 'what an agent says when it is stuck in a loop\n');
for (let left = Number(process.argv[2]); left > 0; left -= 1) {
  for (let done = 0; done < block.length; ) done += writeSync(1, block, done);
}
