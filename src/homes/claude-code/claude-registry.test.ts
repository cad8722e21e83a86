import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeHome, claudeId } from '../../../test/support/claude-home.ts';
import { deadPid } from '../../../test/support/dead-process.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { ownPidDomain, readRegistry } from './claude-registry.ts';

const ONE = claudeId('1');

describe('what running programs of Claude Code have open', () => {
  it('is what they say, as long as their process runs', () => {
    const at = claudeHome(tempDir());
    at.register(ONE);
    expect(readRegistry(at.home)).toEqual({ open: new Set([ONE]), kept: true, problems: [], elsewhere: [] });
  });

  it.runIf(process.platform === 'linux')(
    'is nothing of a process that ended, or whose number another one has by now',
    () => {
      const at = claudeHome(tempDir());
      at.register(ONE, { pid: deadPid() });
      at.register(claudeId('2'), { procStart: '1' });
      expect(readRegistry(at.home)).toEqual({ open: new Set(), kept: true, problems: [], elsewhere: [] });
    },
  );

  it.each([
    ['of another machine or container', { pidDomain: 'linux:0123:pid:[1]' }],
    ['of a version that does not say where it runs', { pidDomain: undefined }],
  ])('counts as open where the process is %s, and is told of', (_, fields) => {
    const at = claudeHome(tempDir());
    at.register(ONE, { pid: deadPid(), ...fields });
    const { open, problems, elsewhere } = readRegistry(at.home);
    expect({ open, problems }).toEqual({ open: new Set([ONE]), problems: [] });
    expect(elsewhere).toMatchObject([{ kind: 'activity-elsewhere', message: expect.stringContaining(ONE) as string }]);
  });

  it.each(['', '{"pid":7', '[]', '{"pid":"7","sessionId":"x"}', '{"pid":7}'])(
    'is not known where a file says %j',
    (text) => {
      const at = claudeHome(tempDir());
      at.write('sessions/7.json', text);
      expect(readRegistry(at.home).problems).toMatchObject([{ kind: 'activity-unknown', subject: 'sessions/7.json' }]);
    },
  );

  it('is not known where a link is in place of a file', () => {
    const at = claudeHome(tempDir());
    symlinkSync('/dev/null', join(at.home, 'sessions/7.json'));
    expect(readRegistry(at.home).problems).toHaveLength(1);
  });

  it('is not looked for in what else is there, and where no list is kept', () => {
    const at = claudeHome(tempDir());
    at.write('sessions/7.0123.key', 'secret');
    expect(readRegistry(at.home)).toMatchObject({ kept: true, problems: [] });
    rmSync(join(at.home, 'sessions'), { recursive: true });
    expect(readRegistry(at.home)).toMatchObject({ kept: false, problems: [] });
  });

  it.runIf(process.platform === 'linux')('holds for the machine and the container that it is of', () => {
    expect(ownPidDomain()).toMatch(/^linux:[0-9a-f]+:pid:\[\d+\]$/);
  });
});
