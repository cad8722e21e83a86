import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openPipes, type Pipe } from './open-pipe.ts';
import { readPieces } from '../text/read-pieces.ts';
import { bytesWriter } from './write-bytes.ts';

async function onePipe(): Promise<Pipe> {
  const [pipe] = await openPipes(1);
  if (pipe === undefined) throw new Error('no pipe');
  return pipe;
}

describe('bytesWriter', () => {
  it('writes to a file at once', () => {
    const path = join(tempDir(), 'file');
    const fd = openSync(path, 'w');
    expect(bytesWriter(fd)(Buffer.from('hello'))).toBeUndefined();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('hello');
  });

  it('waits for the reader of a pipe without holding up anything else', async () => {
    const { readFd, writeFd } = await onePipe();
    const bytes = Buffer.alloc(1_000_000, 'abc');
    const writing = bytesWriter(writeFd)(bytes);
    const pieces: Buffer[] = [];
    const reading = readPieces(readFd, (piece) => void pieces.push(Buffer.from(piece)));
    await writing;
    closeSync(writeFd);
    await reading;
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });
});

describe('readPieces', () => {
  it('hands out the next piece when the one before was taken', async () => {
    const { readFd, writeFd } = await onePipe();
    let taking = 0;
    const overlaps: number[] = [];
    const take = async (piece: Buffer): Promise<void> => {
      overlaps.push(taking);
      taking += piece.length;
      await new Promise(setImmediate);
      taking -= piece.length;
    };
    const reading = readPieces(readFd, take);
    await bytesWriter(writeFd)(Buffer.alloc(500_000));
    closeSync(writeFd);
    await reading;
    expect(overlaps.length).toBeGreaterThan(1);
    expect(new Set(overlaps)).toEqual(new Set([0]));
  });

  it('ends when taking fails, whether at once or later', async () => {
    for (const take of [() => Promise.reject(new Error('full')), () => raise(new Error('full'))]) {
      const { readFd, writeFd } = await onePipe();
      writeSync(writeFd, 'x');
      await expect(readPieces(readFd, take)).rejects.toThrow('full');
      expect(() => writeSync(writeFd, 'x')).toThrow('EPIPE');
      closeSync(writeFd);
    }
  });

  it('ends when told to, although the pipe is open', async () => {
    const { readFd, writeFd } = await onePipe();
    const controller = new AbortController();
    const reading = readPieces(readFd, () => undefined, controller.signal);
    controller.abort();
    await reading;
    await readPieces((await onePipe()).readFd, () => undefined, controller.signal);
    closeSync(writeFd);
  });
});

function raise(error: Error): undefined {
  throw error;
}
