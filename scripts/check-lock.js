// A lock file that misses the binaries of some platforms installs here and fails on a clone elsewhere: npm writes it
// without a word when a registry lacks them. This lists every optional dependency the lock names but does not hold.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const held = new Set(
  Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
);
const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.keys(optionalDependencies)
    .filter((name) => !held.has(name))
    .map((name) => `${path} needs ${name}`),
);
for (const line of missing) console.error(`package-lock.json: ${line}, which has no entry`);
process.exit(missing.length > 0 ? 1 : 0);
