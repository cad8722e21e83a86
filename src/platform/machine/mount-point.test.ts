import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { isMountPoint, mountPoints } from './mount-point.ts';

describe('isMountPoint', () => {
  it('tells a mounted directory from an ordinary one', () => {
    expect(isMountPoint('/')).toBe(true);
    expect(isMountPoint(tempDir())).toBe(false);
  });

  it('reads names with blanks and other odd characters', () => {
    const line = '36 35 98:0 /mnt1 /mnt/my\\040disk\\134x rw,noatime master:1 - ext3 /dev/root rw\n';
    expect(mountPoints(line)).toEqual(['/mnt/my disk\\x']);
  });
});
