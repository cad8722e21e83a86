// Loaded into a measured process: writes its peak resident memory, in kilobytes, when it ends.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.COPPICE_BENCH_PEAK, String(peakKilobytes())));

/** On Linux `maxRSS` starts from what the parent had; the process's own high-water mark does not. */
function peakKilobytes() {
  if (!existsSync('/proc/self/status')) return process.resourceUsage().maxRSS;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}
