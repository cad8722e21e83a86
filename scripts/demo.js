// `npm run demo`: a throw-away home with 2 000 sessions, and the main job done on it with real commands and real output.
// `npm run demo -- --keep` leaves everything in place to play on.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SESSIONS = 2000;
const keep = process.argv.includes('--keep');
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coppice-demo-'));
const home = join(folder, 'home');
const project = join(folder, 'project');

if (!existsSync(join(root, 'dist', 'index.js'))) runNpmBuild();
const { makeHome } = await import('./demo/make-home.js');

try {
  say(`Making an agent's home with ${SESSIONS.toLocaleString('en')} sessions. A few seconds …`);
  const treasure = await makeHome(home, SESSIONS);
  makeProject();

  step('See what is kept, what is protected and what could go.');
  coppice('status');

  step('Something worth keeping: find it, and pin it.');
  coppice('sessions search "payment race"');
  coppice(`sessions pin ${treasure}`);

  step('Plan: every decision with its reason. Nothing is changed.');
  coppice('plan');

  step('Apply exactly that plan.');
  const [plan = ''] = readdirSync(join(home, 'plans'));
  coppice(`apply ${plan.replace('.json', '')} --yes`);
  coppice('status');

  step('Change your mind: everything comes back.');
  coppice('undo --yes');
  coppice('sessions list --limit 3');

  step('Agents edit files. A checkpoint brings them back, byte for byte.');
  coppice('checkpoints take --reason "before the agent"');
  breakProject();
  coppice('checkpoints list');
  coppice(`checkpoints restore ${newestCheckpoint()} --yes`);
  say(`\nIn the project again: ${readdirSync(project).join(', ')}`);

  step('A runaway agent is stopped at its limit.');
  coppice(`run --max-tokens 20000 -- ${process.execPath} ${join(root, 'scripts', 'demo', 'runaway.js')}`);
  coppice('budget --by source');
} finally {
  if (!keep) rmSync(folder, { recursive: true, force: true });
}

step('Your turn.');
if (keep) {
  say(`All of it is still there. Play on:
  npm link                       # puts coppice on your path
  export COPPICE_HOME=${home}
  cd ${project}
  coppice status
Remove it with:
  rm -r ${folder}`);
} else {
  say(`Nothing of the demo is left behind. To play on next time: npm run demo -- --keep
For a home of your own: npm link, and then the five recipes in README.md.`);
}

/** Runs a command of the program as a user would type it, in the same terminal. */
function coppice(line) {
  say(`\n$ coppice ${line.replaceAll(process.execPath, 'node').replaceAll(root, '')}`);
  start(line, { stdio: ['ignore', 'inherit', 'inherit'] });
}

function newestCheckpoint() {
  const { stdout } = start('checkpoints list --json', { encoding: 'utf8' });
  return JSON.parse(stdout).checkpoints[0].id.slice(0, 12);
}

function start(line, options) {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  const env = { ...process.env, COPPICE_HOME: home };
  return spawnSync(process.execPath, [join(root, 'bin', 'coppice.js'), ...words], { ...options, env, cwd: project });
}

function makeProject() {
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'README.md'), '# Shop\n');
  writeFileSync(join(project, 'src', 'pay.js'), 'export const pay = (amount) => amount;\n');
}

function breakProject() {
  say('\n(the agent removes a folder and rewrites a file)');
  rmSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'README.md'), `${readFileSync(join(project, 'README.md'), 'utf8')}oops\n`);
}

function step(text) {
  say(`\n── ${text}`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function runNpmBuild() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.js')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
