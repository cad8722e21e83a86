// `npm run release`: checks that this tree may be published, packs it, and says what would be sent. `-- --publish` sends it, with
// provenance, from a build service that can sign. Nothing is changed before all checks have passed.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releaseProblems } from './release-problems.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const publish = process.argv.includes('--publish');
const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const problems = releaseProblems({
  version,
  repository,
  status: git('status', '--porcelain'),
  tags: git('tag', '--points-at', 'HEAD').split('\n'),
  changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  signable:
    !publish || process.env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined || process.env.SIGSTORE_ID_TOKEN !== undefined,
});
if (problems.length > 0) {
  console.error(`Not ready to release ${version}:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exit(1);
}

npm('run', 'check');
const tarball = join(root, JSON.parse(npm('pack', '--json'))[0].filename);
const sending = ['publish', tarball, '--provenance', '--access', 'public'];
if (publish) npm(...sending);
else
  console.log(
    `All is ready. Nothing was published. To publish: npm run release -- --publish\nIt runs: npm ${sending.join(' ')}`,
  );

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function npm(...args) {
  const output = args.includes('--json') ? 'pipe' : 'inherit';
  return execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', output, 'inherit'] });
}
