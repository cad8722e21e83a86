import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMessage } from '../../../test/support/any-message.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { ArchiveCodec, ArchiveDocument, ArchiveMember } from '../../core/stores/session-archive.ts';
import { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { type ArchiveData, archiveEntries, dataBytes } from './archive-entries.ts';
import { archiveLines, fileLines, linesIn, parseArchiveLine, type SomeLines } from './archive-lines.ts';
import { inspectMember, memberStretches, packMember } from './archive-member.ts';

const CODECS: readonly ArchiveCodec[] = ['brotli', 'gzip'];

/** Packs lines into a file with something before and after them. */
async function pack(path: string, codec: ArchiveCodec, lines: AsyncIterable<SomeLines>): Promise<ArchiveMember> {
  const chunks: Uint8Array[] = [];
  const facts = await packMember(lines, { codec, sizeHint: 0, write: (data) => chunks.push(data) });
  const packed = Buffer.concat(chunks);
  writeFileSync(path, Buffer.concat([Buffer.from('before'), packed, Buffer.from('after')]));
  return { bundle: 'bundle.tar', offsetBytes: 6, lengthBytes: packed.length, codec, ...facts };
}

/** Lines one by one. */
async function* oneByOne(lines: readonly string[]): AsyncGenerator<SomeLines> {
  for (const line of lines) yield [line];
}

/** What an archive has of the content of the one file in a folder. */
function linesOfFile(path: string): string[] {
  using directory = DirectoryHandle.open(path);
  const files = Array.from(archiveEntries(directory), ({ data }) => Array.from(data(), String));
  return files.flat();
}

async function unpack(path: string, member: ArchiveMember) {
  const lines: Buffer[] = [];
  for await (const some of memberStretches(path, member)) lines.push(...linesIn(some));
  return lines;
}

describe('a member of an archive', () => {
  it.each(CODECS)('gives back any messages exactly, packed by %s', async (codec) => {
    const path = join(tempDir(), 'bundle.tar');
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage(), { maxLength: 20 }), async (given) => {
        const documents = given.map(
          (message, seq): ArchiveDocument => ({
            kind: 'message',
            message: { seq, at: 1, ...message },
          }),
        );
        const written = documents.map((document) => JSON.stringify(document));
        const member = await pack(
          path,
          codec,
          archiveLines([written], () => undefined),
        );
        const [header, ...lines] = await unpack(path, member);
        expect(header?.toString()).toBe('{"format":"coppice-archive","version":2}');
        expect(lines.map(parseArchiveLine)).toEqual(documents);
        expect(member.lineCount).toBe(documents.length + 1);
      }),
      { numRuns: 60 },
    );
  });

  it.each(CODECS)('keeps lines longer than any block, packed by %s', async (codec) => {
    const path = join(tempDir(), 'bundle.tar');
    const long = 'ä€𝄞'.repeat(400_000);
    const member = await pack(path, codec, oneByOne([long, 'short', long]));
    expect((await unpack(path, member)).map(String)).toEqual([long, 'short', long]);
  });

  it.each(CODECS)('is the same whether it is packed at once or as it comes, packed by %s', async (codec) => {
    const path = join(tempDir(), 'bundle.tar');
    // The last is larger than what is packed in one go.
    for (const count of [1, 1000, 30_000]) {
      const lines = Array.from({ length: count }, (_, at) => `${at} ${'tree '.repeat(50)}`);
      const member = await pack(path, codec, oneByOne(lines));
      expect((await unpack(path, member)).map(String)).toEqual(lines);
      expect(member).toMatchObject({ lineCount: count, plainBytes: Buffer.byteLength(lines.join('\n')) + 1 });
    }
  });

  it('is refused where it is of a version that nobody knows yet', () => {
    const header = (version: number) => Buffer.from(JSON.stringify({ format: 'coppice-archive', version }));
    for (const version of [1, 2]) expect(parseArchiveLine(header(version))).toBeUndefined();
    expect(() => parseArchiveLine(header(3))).toThrow('The archive is of version 3, and this program reads up to 2.');
  });

  it('is told from one that was damaged anywhere', async () => {
    const path = join(tempDir(), 'bundle.tar');
    const lines = Array.from({ length: 200 }, (_, at) => `{"kind":"message","message":{"seq":${at}}}`);
    for (const codec of CODECS) {
      const member = await pack(path, codec, oneByOne(lines));
      const whole = readFileSync(path);
      expect(await inspectMember(path, member)).toEqual([]);
      for (let at = member.offsetBytes; at < member.offsetBytes + member.lengthBytes; at += 7) {
        const damaged = Buffer.from(whole);
        damaged.writeUInt8(damaged.readUInt8(at) ^ 0x55, at);
        writeFileSync(path, damaged);
        // The first bytes of gzip say when it was packed and by what, and nothing rests on them.
        if (codec === 'gzip' && at < member.offsetBytes + 10) continue;
        await expect(inspectMember(path, member), `${codec} ${at}`).rejects.toMatchObject({ code: 'integrity' });
      }
    }
  });

  it('is told from one that is cut short or missing', async () => {
    const path = join(tempDir(), 'bundle.tar');
    const member = await pack(path, 'brotli', oneByOne(['one', 'two']));
    writeFileSync(path, readFileSync(path).subarray(0, -7));
    await expect(inspectMember(path, member)).rejects.toMatchObject({ code: 'integrity' });
    await expect(inspectMember(`${path}.gone`, member)).rejects.toMatchObject({ code: 'integrity' });
  });
});

describe('the files of a session in an archive', () => {
  it('are the same bytes again, whatever they are', () => {
    const directory = tempDir();
    const edges = [
      Buffer.alloc(0),
      Buffer.from('\uFEFFplain text\r\n'),
      Buffer.from(Array.from({ length: 128 }, (_, byte) => byte)),
      Buffer.from([0xff, 0xfe, 0x00]),
      Buffer.from('€'.repeat(300_000)),
      Buffer.concat([Buffer.alloc(256 * 1024 - 1, 'a'), Buffer.from('𝄞b')]),
      Buffer.concat([Buffer.alloc(256 * 1024 - 2, 'a'), Buffer.from([0xe2, 0x82])]),
    ];
    const contents = fc.oneof(
      fc.constantFrom(...edges),
      fc.uint8Array({ maxLength: 2000 }).map((data) => Buffer.from(data)),
    );
    fc.assert(
      fc.property(contents, (content) => {
        writeFileSync(join(directory, 'file'), content);
        const lines = linesOfFile(directory);
        const data = lines.map((line) => JSON.parse(line) as ArchiveData);
        expect(Buffer.concat(data.map(dataBytes)).equals(content)).toBe(true);
        expect(data.map((each) => JSON.stringify(each))).toEqual(lines);
      }),
    );
  });

  it('are text where they are text, also where a character lies across two stretches', () => {
    const directory = tempDir();
    writeFileSync(join(directory, 'file'), `x${'€'.repeat(300_000)}`);
    const lines = linesOfFile(directory);
    expect(lines.every((line) => line.startsWith('{"kind":"data","utf8":"'))).toBe(true);
    expect(lines.length).toBeGreaterThan(1);
  });

  it('are known by their lines, which stand in the member too', async () => {
    const directory = tempDir();
    const path = join(tempDir(), 'bundle.tar');
    mkdirSync(join(directory, 'dumps'));
    for (const name of ['transcript.jsonl', 'dumps/one.json']) writeFileSync(join(directory, name), name);
    const open = () => DirectoryHandle.open(directory);
    const linesNow = () => {
      using opened = open();
      return fileLines(opened);
    };
    const member = await pack(path, 'brotli', archiveLines([], open));
    expect(await inspectMember(path, member)).toEqual(linesNow());
    closeSync(openSync(join(directory, 'another'), 'w'));
    expect(await inspectMember(path, member)).not.toEqual(linesNow());
  });
});
