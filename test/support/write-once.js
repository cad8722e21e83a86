// Writes one file in one step, from the built code. Run as: node write-once.js PATH
import { writeFileAtomic } from '../../dist/platform/files/private-files.js';

writeFileAtomic(process.argv[2], 'content');
