import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { freeBytes, networkFileSystem, networkFileSystemOfType } from './file-system-facts.ts';

describe('freeBytes', () => {
  it('is a whole number within the size of the file system', () => {
    const { blocks, bsize } = statfsSync(tmpdir());
    const free = freeBytes(tmpdir());
    expect(Number.isInteger(free)).toBe(true);
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(blocks * bsize);
  });

  it.runIf(process.platform === 'linux')('is nothing where nothing can be written', () => {
    expect(freeBytes('/proc')).toBe(0);
  });
});

describe('networkFileSystem', () => {
  it.runIf(process.platform === 'linux')('is undefined for a local directory', () => {
    expect(networkFileSystem('/proc')).toBeUndefined();
  });
});

describe('networkFileSystemOfType', () => {
  it.each([
    [0x6969, 'nfs'],
    [0x517b, 'smb'],
    [0xff534d42, 'cifs'],
    [0xfe534d42, 'smb2'],
    [0x01021997, '9p'],
    [0x5346414f, 'afs'],
    [0x00c36400, 'ceph'],
    [0x65735546, 'fuse'],
  ])('knows %i as %s, also when it comes as a negative number', (type, name) => {
    expect(networkFileSystemOfType(type)).toBe(name);
    expect(networkFileSystemOfType(type | 0)).toBe(name);
  });

  it.each([0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0])('knows %i as local', (type) => {
    expect(networkFileSystemOfType(type)).toBeUndefined();
  });
});
