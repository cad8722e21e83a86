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
  say(`An agent's home with ${SESSIONS.toLocaleString('en')} sessions is made in ${folder}. A few seconds …`);
  await makeHome(home, SESSIONS);

  step('See what is kept, what is protected and what could go.');
  coppice('status');

  step('Something worth keeping: find it, and pin it.');
  const [hit] = coppice('sessions search "payment race"').match(/[0-9a-f]{8}-[0-9a-f-]{27}/) ?? [];
  if (hit !== undefined) coppice(`sessions pin ${hit}`);

  step('Plan: every decision with its reason. Nothing is changed.');
  const plan = coppice('plan');

  step('Apply exactly that plan.');
  const [, id = ''] = plan.match(/coppice apply ([0-9a-f]+)/) ?? [];
  coppice(`apply ${id} --yes`);
  coppice('status');

  step('Change your mind: everything comes back.');
  coppice('undo --yes');
  coppice('sessions list --limit 3');

  step('Agents edit files. A checkpoint brings them back, byte for byte.');
  makeProject();
  coppice(`checkpoints take ${project} --reason "before the agent"`);
  breakProject();
  const [, checkpoint = ''] = coppice(`checkpoints list ${project}`).match(/\b([0-9a-f]{8,})\b/) ?? [];
  coppice(`checkpoints restore ${checkpoint} --yes`);
  say(`\nIn the project again: ${readdirSync(project).join(', ')}`);

  step('A runaway agent is stopped before it has spent what it wants to.');
  coppice(`run --max-tokens 20000 -- ${process.execPath} ${join(root, 'scripts', 'demo', 'runaway.js')}`);
  coppice('budget --by source');
} finally {
  if (keep)
    say(
      `\nAll of it is still there. Play on with:\n  export COPPICE_HOME=${home}\n  ${join(root, 'bin', 'coppice.js')} status`,
    );
  else rmSync(folder, { recursive: true, force: true });
}
if (!keep) say('\nNothing of the demo is left behind. To play on next time: npm run demo -- --keep');

/** Runs a command of the program as a user would type it, shows both, and returns what it printed. */
function coppice(line) {
  say(`\n$ coppice ${line.replaceAll(process.execPath, 'node').replaceAll(root, '')}`);
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'bin', 'coppice.js'), ...words], {
    env: { ...process.env, COPPICE_HOME: home, NO_COLOR: '1' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  process.stdout.write(stdout + stderr);
  return stdout;
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
