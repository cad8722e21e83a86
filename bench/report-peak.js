// Loaded into a measured process: writes its peak resident memory, in kilobytes, when it ends.
import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.COPPICE_BENCH_PEAK, String(process.resourceUsage().maxRSS)));
