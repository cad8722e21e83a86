import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { runGit } from '../../platform/git/run-git.ts';
import { type Contents, openContents } from './restore-contents.ts';

describe('openContents', () => {
  let gitDir: string;

  beforeEach(async () => {
    gitDir = tempDir();
    await runGit({ gitDir }, ['init', '--bare', '-q', gitDir]);
  });

  const save = async (content: Buffer) =>
    (await runGit({ gitDir }, ['hash-object', '-w', '--stdin'], { input: content })).stdout.toString().trim();

  async function read(contents: Contents, oid: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of contents.read(oid)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  it('reads one blob after another, whatever bytes they hold', async () => {
    const blobs = ['', '\n', 'a\n\nb', '\0\xff', 'x\r\n'.repeat(200_000)].map((text) => Buffer.from(text, 'latin1'));
    using contents = openContents(gitDir);
    for (const blob of [...blobs, ...blobs]) expect((await read(contents, await save(blob))).equals(blob)).toBe(true);
  });

  it('goes on with the next after someone stopped half-way', async () => {
    const large = await save(Buffer.alloc(3_000_000, 'x'));
    const small = await save(Buffer.from('small'));
    using contents = openContents(gitDir);
    for await (const piece of contents.read(large)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect((await read(contents, small)).toString()).toBe('small');
  });

  it('says that content is not there, and reads the next', async () => {
    const small = await save(Buffer.from('small'));
    using contents = openContents(gitDir);
    await expect(read(contents, 'f'.repeat(40))).rejects.toMatchObject({ code: 'integrity' });
    expect((await read(contents, small)).toString()).toBe('small');
  });

  it('says so when there is no store to read from', async () => {
    using contents = openContents(tempDir());
    await expect(read(contents, 'f'.repeat(40))).rejects.toMatchObject({ code: 'integrity' });
  });
});
