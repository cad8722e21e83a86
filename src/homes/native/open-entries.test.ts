import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { nativeLayout } from './native-layout.ts';
import { closeEntries, linkedFolders, openEntries } from './open-entries.ts';

describe.skipIf(process.platform === 'win32')('what is open to others', () => {
  let root: string;
  const at = (...names: string[]) => join(root, ...names);
  const modeOf = (...names: string[]) => statSync(at(...names)).mode & 0o777;

  beforeEach(() => {
    root = tempDir();
    mkdirSync(at('home'), { mode: 0o700 });
    mkdirSync(at('outside'));
    writeFileSync(at('outside', 'file'), 'not ours');
    chmodSync(at('outside'), 0o755);
    chmodSync(at('outside', 'file'), 0o644);
  });

  it.each(['plans', 'trash', 'archive', 'sessions', 'checkpoints'])(
    'is neither seen nor closed behind a link named %s',
    (name) => {
      symlinkSync(at('outside'), at('home', name));
      const layout = nativeLayout(at('home'));
      expect([...openEntries(layout)]).toEqual([]);
      expect(closeEntries(layout)).toEqual({ closed: 0, left: [] });
      expect([modeOf('outside'), modeOf('outside', 'file')]).toEqual([0o755, 0o644]);
      expect(linkedFolders(layout)).toEqual([at('home', name)]);
    },
  );

  it('is closed where it is ours, and left alone where a file has another name elsewhere', () => {
    mkdirSync(at('home', 'plans'));
    chmodSync(at('home', 'plans'), 0o755);
    writeFileSync(at('home', 'plans', 'one.json'), '{}');
    chmodSync(at('home', 'plans', 'one.json'), 0o644);
    linkSync(at('outside', 'file'), at('home', 'plans', 'two.json'));
    const { closed, left } = closeEntries(nativeLayout(at('home')));
    expect({ closed, left: left.map(({ path }) => path) }).toEqual({
      closed: 2,
      left: [at('home', 'plans', 'two.json')],
    });
    expect([modeOf('home', 'plans'), modeOf('home', 'plans', 'one.json')]).toEqual([0o700, 0o600]);
    expect(modeOf('outside', 'file')).toBe(0o644);
  });
});
