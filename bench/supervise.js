// What supervision costs a command that writes a lot: its output through superviseRun, against the same output through cat.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OK } from '../dist/core/gateway/gateway.js';
import { superviseRun } from '../dist/gateway/run/supervise-run.js';
import { compare, format, report } from './measure.js';
import { seeded, sentence } from './words.js';

const FILE_MB = 32;
const TIMES = 64;

export async function benchSupervise(directory) {
  const path = join(directory, 'output.txt');
  writeLines(path);
  const paths = Array.from({ length: TIMES }, () => path);
  const nowhere = openSync('/dev/null', 'w');
  const { ratio, oursMs, bareMs } = await compare(
    11,
    () => supervised('cat', paths, nowhere),
    () => void spawnSync('sh', ['-c', 'cat "$@" | cat', 'sh', ...paths], { stdio: ['ignore', nowhere, 'inherit'] }),
  );
  closeSync(nowhere);
  rmSync(path);
  const rate = (ms) => `${format((FILE_MB * TIMES) / (ms / 1000))} MB/s`;
  const note = `${rate(oursMs)}, cat ${rate(bareMs)}`;
  report('output of a supervised command / through cat', ratio, { limit: 1.1, unit: '×', note });
}

async function supervised(command, args, stdout) {
  const result = await superviseRun({
    command,
    args,
    cwd: '/',
    env: process.env,
    sessionId: 'bench',
    sink: { event: async () => OK, output: async () => OK, check: () => OK },
    records: { save: async () => {}, remove: async () => {} },
    io: { stdout },
  });
  if (result.stats.outputBytes !== FILE_MB * 1024 * 1024 * args.length) throw new Error('Output was lost.');
}

function writeLines(path) {
  const random = seeded(5);
  const block = Array.from({ length: 5000 }, () => sentence(random)).join('\n');
  writeFileSync(path, Buffer.alloc(FILE_MB * 1024 * 1024, `${block}\n`));
}
