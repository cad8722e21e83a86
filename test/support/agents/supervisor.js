// Supervises one command: supervisor.js MODULE COMMAND ARGS…, MODULE being the built supervise-run.js. Says on standard error what it
// records, as JSON lines, and at the end its peak memory in kilobytes.
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';

const [, , module, command, ...args] = process.argv;
const { superviseRun } = await import(module);
const say = (value) => writeSync(2, `${JSON.stringify(value)}\n`);

const OK = { kind: 'ok', causes: [], say: '' };

let chunks = 0;
const result = await superviseRun({
  command,
  args,
  cwd: process.cwd(),
  env: process.env,
  sessionId: 'session-1',
  sink: {
    event: async (event) => {
      say({ event });
      return OK;
    },
    output: async () => {
      chunks += 1;
      return OK;
    },
    check: () => OK,
  },
  records: { save: async (record) => say({ record }), remove: async () => say({ removed: true }) },
  io: { stdout: openSync('/dev/null', 'w') },
});
say({ result, chunks, peakKilobytes: peakKilobytes() });

function peakKilobytes() {
  if (!existsSync('/proc/self/status')) return process.resourceUsage().maxRSS;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}
