// What a user waits for when a command starts, and what memory long work takes.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, median, report, timed } from './measure.js';
import { seeded, sentence } from './words.js';

const COPPICE = fileURLToPath(new URL('../bin/coppice.js', import.meta.url));
const PEAK = fileURLToPath(new URL('./report-peak.js', import.meta.url));

export async function benchStart(home) {
  const list = [COPPICE, 'sessions', 'list', '--home', home];
  const times = { bare: [], version: [], list: [] };
  for (let round = 0; round < 21; round += 1) {
    times.bare.push(await timed(() => execFileSync(process.execPath, ['-e', '0'])));
    times.version.push(await timed(() => execFileSync(process.execPath, [COPPICE, '--version'])));
    times.list.push(await timed(() => execFileSync(process.execPath, list, { stdio: 'ignore' })));
  }
  const bare = median(times.bare);
  const note = (ms) => `${format(ms)} ms, node -e 0 ${format(bare)} ms`;
  report('start of coppice --version / node -e 0', median(times.version) / bare, {
    limit: 1.5,
    unit: '×',
    note: note(median(times.version)),
  });
  report('start of sessions list, 100 000 sessions / node -e 0', median(times.list) / bare, {
    limit: 3,
    unit: '×',
    note: note(median(times.list)),
  });
}

export function benchMemory(home, directory) {
  const loose = join(directory, 'loose.jsonl');
  const exported = join(directory, 'export.jsonl');
  const other = join(directory, 'imported');
  writeLoose(loose, 500);
  const runs = {
    'listing 100 000 sessions': ['sessions', 'list', '--json', '--home', home],
    'counting 100 000 sessions': ['sessions', 'stats', '--home', home],
    'importing a 500 MB transcript': ['sessions', 'import', loose, '--home', other],
    'exporting a 500 MB session': ['sessions', 'export', 'loose', '--out', exported, '--home', other],
    'importing a 500 MB export': ['sessions', 'import', exported, '--home', join(directory, 'again')],
  };
  for (const [name, args] of Object.entries(runs)) {
    report(`peak memory: ${name}`, peakMegabytes(args, directory), { limit: 200, unit: ' MB' });
  }
  rmSync(loose);
}

/** The most memory that a command ever has. */
export function peakMegabytes(args, directory) {
  return peakOfScript([COPPICE, ...args], directory);
}

/** The most memory that a script ever has, in a process of its own. */
export function peakOfScript(args, directory) {
  const file = join(directory, 'peak');
  const env = { ...process.env, COPPICE_BENCH_PEAK: file };
  const { status, stderr } = spawnSync(process.execPath, ['--import', PEAK, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.toString()}`);
  return Number(readFileSync(file, 'utf8')) / 1024;
}

/** Mostly large tool outputs, of which only the beginning is indexed, with talk between them. */
function writeLoose(path, megabytes) {
  const random = seeded(9);
  const output = sentence(random, 170_000);
  rmSync(path, { force: true });
  for (let written = 0; written < megabytes; written += output.length / 1e6) {
    const lines = [
      { role: 'tool', content: output },
      ...Array.from({ length: 20 }, () => ({ role: 'user', content: sentence(random) })),
    ];
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { flag: 'a' });
  }
}
