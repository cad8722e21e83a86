import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { beforeCall } from '../../../test/support/before-call.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { replaceShared } from './replace-shared.ts';

it('brings a new file that sessions share to the disk before it takes the place of the old one, and its name after', async () => {
  const path = tempDir();
  writeFileSync(join(path, 'lines'), 'old', { mode: 0o640 });
  using folder = DirectoryHandle.open(path);
  const steps: string[] = [];
  const replace = () => replaceShared(folder, 'lines', Buffer.from('new'));
  const noting = (step: string) => () => void steps.push(step);
  await beforeCall('renameSync', noting('rename'), {
    act: () =>
      beforeCall('fsyncSync', noting('sync'), {
        act: () => beforeCall('closeSync', noting('close'), { act: replace }),
      }),
  });
  expect(steps).toEqual(['sync', 'close', 'rename']);
  expect(readFileSync(join(path, 'lines'), 'utf8')).toBe('new');
});
