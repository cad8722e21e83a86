import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { GitPlace } from '../../platform/git/run-git.ts';

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
dist/
target/
/build/
/out/
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
.worktrees/
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

/** What a store leaves out, beside what the project's own ignore files say. */
export interface Excludes {
  /** Patterns on top of the others. */
  readonly exclude: readonly string[];
  /** A file with the patterns that stand in place of the built-in ones. */
  readonly excludeFrom?: string | undefined;
}

/** The arguments of `git ls-files` that make these rules hold, and those of the project. */
export function excludeArgs(place: Pick<GitPlace, 'gitDir'>, excludes: Excludes): string[] {
  return ['--exclude-per-directory=.gitignore', ...storeExcludeArgs(place, excludes)];
}

/** The same without what the project says. */
export function storeExcludeArgs(
  { gitDir }: Pick<GitPlace, 'gitDir'>,
  { exclude, excludeFrom = `${gitDir}/info/exclude` }: Excludes,
): string[] {
  return [`--exclude-from=${excludeFrom}`, ...exclude.map((pattern) => `--exclude=${pattern}`)];
}

/** The rules in short form: the same text, the same rules. */
export function rulesOf({ exclude, excludeFrom }: Excludes): string {
  const base = excludeFrom === undefined ? DEFAULT_EXCLUDES : readFileSync(excludeFrom, 'utf8');
  return hash('sha256', JSON.stringify([base, ...exclude]), 'hex').slice(0, 16);
}
