// Compiles src/ from scratch beside dist/ and then swaps the two: a file that was renamed or removed leaves nothing behind,
// and what runs from dist/ meanwhile never finds half of it.
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { build as buildPage } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const made = `${root}dist.new-${process.pid}`;
const old = `${root}dist.old-${process.pid}`;
const { status } = spawnSync(
  process.execPath,
  [`${root}node_modules/typescript/bin/tsc`, '-p', '.', '--outDir', made],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
if (status === 0) {
  await putTogether();
  await makePage();
  moveAside(`${root}dist`);
  renameSync(made, `${root}dist`);
}
for (const left of [made, old]) rmSync(left, { recursive: true, force: true });
process.exit(status ?? 1);

/**
 * The command line once more, in few files: finding its modules one by one would take a command more than half of its time. What
 * many commands need is one file, what few need stays apart; packages of others stay where they are. All files are in one folder, as
 * deep as that of main.js, so what is found from there is found from here (docs/decisions/0044).
 */
async function putTogether() {
  await build({
    input: {
      main: `${made}/cli/main.js`,
      'run-process': `${made}/cli/run-process.js`,
      'upkeep-worker': `${made}/store/sqlite/writing/upkeep-worker.js`,
    },
    platform: 'node',
    external: (id) => !isAbsolute(id) && !id.startsWith('.'),
    // Some modules are loaded late by one and early by another, which it would warn of.
    logLevel: 'silent',
    output: {
      dir: `${made}/program`,
      codeSplitting: { groups: [{ name: 'shared', minShareCount: 10 }] },
    },
  });
}

/** The page that the daemon serves: one file of script and one of style, named by what is in them, and nothing of another origin. */
async function makePage() {
  await buildPage({
    root: `${root}src/web`,
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: `${made}/web`,
      emptyOutDir: true,
      target: 'es2022',
      // Its own script would be one that is not needed, and data in a file of style is not let through.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
}

function moveAside(path) {
  try {
    renameSync(path, old);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
