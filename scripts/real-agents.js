// Runs the tests with real agents: `npm run test:real-agents`. The agents are installed from the registry into a folder of their own that is
// removed afterwards, and run where nothing but this machine can be reached, against models of the tests' own.
// REAL_AGENTS_FOLDER names a folder that is kept and used again; what follows `--` goes to the test runner.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const AGENTS = {
  '@anthropic-ai/claude-code': '2.1.325',
  '@openai/codex': '0.166.0',
  '@google/gemini-cli': '0.61.0',
  'opencode-ai': '1.18.33',
  '@earendil-works/pi-coding-agent': '0.87.1',
  '@github/copilot': '1.0.102',
  // Some of them need a newer Node than Coppice does.
  node: '24.21.0',
};

const alone = namespaceCommand();
if (alone === undefined) {
  console.log(
    'Skipped: real agents run only in a network namespace of their own, which needs Linux with unshare and ip,',
  );
  console.log('and the root user or user namespaces. Nothing was installed.');
  process.exit(0);
}
const kept = process.env.REAL_AGENTS_FOLDER;
const chosen = kept ?? mkdtempSync(join(tmpdir(), 'coppice-real-agents-'));
try {
  process.exitCode = install(chosen) === 0 ? test(chosen, alone) : 1;
} finally {
  if (kept === undefined) rmSync(chosen, { recursive: true, force: true });
}

/** What to put before a command so that it reaches this machine alone; undefined where that cannot be had. */
function namespaceCommand() {
  const script = 'ip link set lo up && exec "$@"';
  const ways = [
    ['unshare', '-n'],
    ['unshare', '-r', '-n'],
  ].map((way) => [...way, 'sh', '-c', script, 'sh']);
  return ways.find(([program, ...args]) => spawnSync(program, [...args, 'true']).status === 0);
}

function install(folder) {
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(folder, 'node_modules', '.bin', 'claude'))) return 0;
  const manifest = { private: true, name: 'real-agents', version: '0.0.0', dependencies: AGENTS };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  console.log('Installing the agents. This takes a minute or two, and about two gigabytes.');
  // They bring the Node that they need; `npm run` hands on that this project wants none but its own.
  const args = ['install', '--no-audit', '--no-fund', '--loglevel', 'error', '--no-engine-strict'];
  return spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status;
}

function test(folder, [program, ...args]) {
  const config = ['--config', 'test/real-agents/vitest.config.ts'];
  const runner = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...config, ...process.argv.slice(2)];
  const env = { ...process.env, REAL_AGENTS_FOLDER: folder };
  return spawnSync(program, [...args, ...runner], { stdio: 'inherit', env }).status ?? 1;
}
