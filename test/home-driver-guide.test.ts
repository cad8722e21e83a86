import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { examplesIn, ROOT, textOf } from './support/documentation.ts';

/** The guide builds a whole kind of home: its files are compiled as ours are, and its own test runs here. */
const PAGE = 'docs/guides/home-driver.md';

/** The files of the guide, each named in its first line. */
const files = examplesIn('ts')
  .filter(({ page }) => page === PAGE)
  .map(({ code }) => ({ path: /^\/\/ (src\/homes\/\S+)\n/.exec(code)?.[1] ?? '', code: code.replace(/^.*\n/, '') }));

const tree = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-guide-')));
afterAll(() => rmSync(tree, { recursive: true, force: true }));
plantGuide();

/** The guide's folder where it says, and everything else beside it as it is. */
function plantGuide(): void {
  mkdirSync(join(tree, 'src/homes'), { recursive: true });
  linkAll('.', 'src');
  linkAll('src', 'homes');
  linkAll('src/homes');
  for (const { path, code } of files) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), code);
  }
}

function linkAll(folder: string, but?: string): void {
  for (const name of readdirSync(join(ROOT, folder)))
    if (name !== but && !name.startsWith('.')) symlinkSync(join(ROOT, folder, name), join(tree, folder, name));
}

describe('the guide to a home driver', () => {
  it('builds a kind of home in one folder and at most 200 lines', () => {
    expect(textOf(PAGE).trimEnd().split('\n').length).toBeLessThanOrEqual(200);
    expect(new Set(files.map(({ path }) => dirname(path)))).toEqual(new Set(['src/homes/jot']));
    expect(existsSync(join(ROOT, 'src/homes/jot'))).toBe(false);
  });

  it('compiles as strictly as the program, with the entry that it says for the list of kinds', () => {
    const [entry = ''] = /^ {4}(\{ name: 'jot'.*\}),$/m.exec(textOf(PAGE))?.slice(1) ?? [];
    const list = `import type { KnownKind } from './kinds.ts';\nexport const JOT: KnownKind = ${entry};\n`;
    writeFileSync(join(tree, 'src/homes/jot-entry.ts'), list);
    const config = { extends: './tsconfig.test.json', include: ['src/homes/jot', 'src/homes/jot-entry.ts'] };
    writeFileSync(join(tree, 'tsconfig.guide.json'), JSON.stringify({ ...config, files: [] }));
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.guide.json'], { cwd: tree });
  });
});

// The guide's own test, in the place where it says that it stands.
for (const { path } of files) if (path.endsWith('.test.ts')) await import(join(tree, path));
