// How soon `coppice` alone answers on homes of very many files, beside one walk with stat over them.
import { closeSync, ftruncateSync, mkdirSync, openSync, utimesSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, format, report, timed } from './measure.js';
import { peakMegabytes } from './processes.js';

const FILES = Number(process.env.COPPICE_BENCH_FILES ?? 100_000);
const FILES_EACH = 10;
const BYTES_EACH = 220_000;
const COPPICE = fileURLToPath(new URL('../bin/coppice.js', import.meta.url));
const NOW = Date.now();
const DAY_MS = 86_400_000;

const note = (ms, bare) => `${format(ms)} ms, walk ${format(bare)} ms`;

export async function benchOverview(scratch) {
  const user = join(scratch, 'many');
  const home = join(user, '.claude');
  writeHome(home);
  const env = { PATH: process.env.PATH, HOME: user, CLAUDE_CONFIG_DIR: home };
  const overview = () => execFileSync(process.execPath, [COPPICE], { env, stdio: 'ignore' });
  const walk = () => execFileSync(process.execPath, ['-e', WALK, home], { stdio: 'ignore' });
  walk();
  const firstMs = await timed(overview);
  const walkMs = await timed(walk);
  const what = `homes of ${FILES} files`;
  report(`coppice over ${what}, first time / walk with stat`, firstMs / walkMs, {
    limit: 1.5,
    unit: '×',
    note: note(firstMs, walkMs),
  });
  const { ratio, oursMs, bareMs } = await compare(5, overview, walk);
  report(`coppice over ${what}, later / walk with stat`, ratio, { limit: 1.1, unit: '×', note: note(oursMs, bareMs) });
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    report(`peak memory: coppice over ${what}`, peakMegabytes([], scratch), { limit: 200, unit: ' MB' });
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** Every name below a folder, and what the file system says of each. */
const WALK = `
const { lstatSync, readdirSync } = require('node:fs');
const visit = (folder) => {
  for (const name of readdirSync(folder)) {
    const path = folder + '/' + name;
    if (lstatSync(path).isDirectory()) visit(path);
  }
};
visit(process.argv[1]);
`;

/** Sessions of Claude Code with what it saved of files beside them. What is saved is sparse: only its size counts here. */
function writeHome(home) {
  const sessions = Math.ceil(FILES / FILES_EACH);
  for (let number = 0; number < sessions; number += 1) {
    const id = `${String(number).padStart(8, '0')}-1111-4111-8111-111111111111`;
    const at = NOW - ((number % 25) + 2) * DAY_MS;
    const project = join(home, 'projects', `-work-${number % 100}`);
    mkdirSync(project, { recursive: true });
    const path = join(project, `${id}.jsonl`);
    writeFileSync(path, linesOf(id, number, at));
    utimesSync(path, at / 1000, at / 1000);
    const saved = join(home, 'file-history', id);
    mkdirSync(saved, { recursive: true });
    for (let file = 1; file < FILES_EACH; file += 1) writeSparse(join(saved, `${'a'.repeat(15)}${file}@v1`), at);
  }
}

function writeSparse(path, at) {
  const handle = openSync(path, 'w');
  ftruncateSync(handle, BYTES_EACH);
  closeSync(handle);
  utimesSync(path, at / 1000, at / 1000);
}

const WORDS = 'the quick brown fox jumps over the lazy dog and finds a file. '.repeat(10);

function linesOf(sessionId, number, at) {
  const outer = { sessionId, cwd: `/work/${number % 100}` };
  const lines = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const timestamp = new Date(at + turn * 1000).toISOString();
    const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 5, cache_creation_input_tokens: 1 };
    const content = [{ type: 'text', text: WORDS }];
    const message = { id: `m${number}-${turn}`, role: 'assistant', model: 'claude-sonnet-4-5', usage, content };
    lines.push({ ...outer, type: 'user', timestamp, message: { role: 'user', content: `${turn} ${WORDS}` } });
    lines.push({ ...outer, type: 'assistant', timestamp, message });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
