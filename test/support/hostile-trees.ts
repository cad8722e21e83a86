import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';

/** A directory tree as data. Names and link targets are bytes, one character each. */
export interface TreeData {
  readonly [name: string]: TreeNode;
}
export type TreeNode =
  | { readonly kind: 'file'; readonly content: string; readonly executable: boolean }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly inside: TreeData };

const NAMES = [
  'a',
  'b',
  'c',
  '-rf',
  ' ',
  'x*?[y]',
  ':(top)z',
  'Ã¤',
  'not-text-\xff\xfe',
  'new\nline',
  '.gitattributes',
  '"q\\',
];
const CONTENTS = [
  '',
  'one\r\ntwo\r\n',
  'one\ntwo\n',
  '* text eol=crlf\n*.txt filter=x ident\n',
  '*\n',
  '$Id$',
  '\0\xff\x01',
  'x'.repeat(70_000),
];

const file = fc.record({
  kind: fc.constant('file' as const),
  content: fc.oneof(fc.constantFrom(...CONTENTS), fc.string({ unit: 'binary-ascii', maxLength: 20 })),
  executable: fc.boolean(),
});
const link = fc.record({
  kind: fc.constant('link' as const),
  target: fc.constantFrom('a', '../b', '/nowhere', 'loop', '\xff'),
});

/** Trees with names, contents and shapes that programs trip over. A folder is never empty: git does not know empty ones. */
export const hostileTree: fc.Arbitrary<TreeData> = fc.letrec<{ tree: TreeData; node: TreeNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', maxDepth: 3, withCrossShrink: true },
    file,
    link,
    fc.record({
      kind: fc.constant('folder' as const),
      inside: fc.dictionary(fc.constantFrom(...NAMES), tie('node'), { minKeys: 1, maxKeys: 4 }),
    }),
  ),
  tree: fc.dictionary(fc.constantFrom(...NAMES), tie('node'), { maxKeys: 6 }),
})).tree;

/** Makes a directory hold exactly this tree, by clearing it and writing everything. */
export function writeTree(root: string, tree: TreeData): void {
  for (const name of readdirSync(root, 'buffer')) rmSync(within(Buffer.from(root), name), { recursive: true });
  writeInto(Buffer.from(root), tree);
}

function writeInto(folder: Buffer, tree: TreeData): void {
  for (const [name, node] of Object.entries(tree)) {
    const path = within(folder, Buffer.from(name, 'latin1'));
    if (node.kind === 'folder') {
      mkdirSync(path);
      writeInto(path, node.inside);
    } else if (node.kind === 'link') symlinkSync(Buffer.from(node.target, 'latin1'), path);
    else {
      writeFileSync(path, Buffer.from(node.content, 'latin1'));
      chmodSync(path, node.executable ? 0o755 : 0o644);
    }
  }
}

/** Every file and link of a directory with its bytes, right to run and target; folders by what they hold. */
export function listTree(root: string | Buffer, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(root, 'buffer').toSorted((a, b) => a.compare(b))) {
    const path = within(Buffer.from(root), name);
    const shown = `${prefix}${name.toString('latin1')}`;
    const stats = lstatSync(path);
    if (stats.isDirectory()) Object.assign(found, listTree(path, `${shown}/`));
    else if (stats.isSymbolicLink()) found[shown] = `link ${readlinkSync(path, 'buffer').toString('latin1')}`;
    else found[shown] = `${(stats.mode & 0o100) === 0 ? 'file' : 'executable'} ${readFileSync(path, 'latin1')}`;
  }
  return found;
}

function within(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}
