import { hash } from 'node:crypto';
import type { GitPlace } from '../platform/run-git.ts';

/**
 * What is left out of every checkpoint: what can be made again, what is large and never edited by hand, and secrets. The
 * project's own ignore files come on top and may take a line back (`!dist/`); `checkpoints.exclude` has the last word.
 */
export const DEFAULT_EXCLUDES = `# dependencies
node_modules/
bower_components/
jspm_packages/
.pnpm-store/
.yarn/cache/
.yarn/unplugged/
.venv/
venv/
site-packages/
__pypackages__/
.bundle/
Pods/
.gradle/
.m2/
.cargo/registry/
# builds
/dist/
/build/
/out/
/target/
/_build/
.next/
.nuxt/
.output/
.svelte-kit/
.turbo/
.parcel-cache/
*.egg-info/
DerivedData/
*.o
*.obj
*.a
*.so
*.so.*
*.dylib
*.dll
*.exe
*.class
*.pyc
*.pyo
# caches
__pycache__/
.cache/
.pytest_cache/
.mypy_cache/
.ruff_cache/
.tox/
.nox/
.nyc_output/
.eslintcache
.terraform/
.ipynb_checkpoints/
*.tmp
*.swp
.DS_Store
Thumbs.db
# version control
.[gG][iI][tT]
.hg/
.svn/
.jj/
.bzr/
CVS/
# secrets
.env
.env.*
!.env.example
!.env.sample
!.env.template
.envrc
.netrc
.npmrc
.pypirc
.git-credentials
.ssh/
.gnupg/
.aws/
*.pem
*.key
*.p12
*.pfx
*.jks
*.keystore
*.kdbx
id_rsa
id_dsa
id_ecdsa
id_ed25519
# media
*.mp4
*.mov
*.mkv
*.avi
*.webm
*.mp3
*.wav
*.flac
*.psd
*.iso
*.dmg
# archives
*.zip
*.tar
*.tar.*
*.tgz
*.gz
*.bz2
*.xz
*.zst
*.7z
*.rar
*.jar
*.war
*.whl
`;

/** The arguments of `git ls-files` that make these rules hold. */
export function excludeArgs({ gitDir }: Pick<GitPlace, 'gitDir'>, exclude: readonly string[]): string[] {
  return [
    '--exclude-per-directory=.gitignore',
    `--exclude-from=${gitDir}/info/exclude`,
    ...exclude.map((pattern) => `--exclude=${pattern}`),
  ];
}

/** The rules in short form: the same text, the same rules. */
export function rulesOf(exclude: readonly string[]): string {
  return hash('sha256', JSON.stringify([DEFAULT_EXCLUDES, ...exclude]), 'hex').slice(0, 16);
}
