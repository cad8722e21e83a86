import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { admitWorkdir } from './admit-workdir.ts';

function scene() {
  const dir = tempDir();
  const home = join(dir, 'above', 'home');
  mkdirSync(join(home, 'sessions'), { recursive: true });
  mkdirSync(join(dir, 'project'));
  return { dir, home, project: join(dir, 'project') };
}

const why = (given: string, home: string) => {
  const admission = admitWorkdir(given, home);
  return 'message' in admission ? admission.message : admission.workdir;
};

describe('admitWorkdir', () => {
  it('gives the real path of a project', () => {
    const { dir, home, project } = scene();
    symlinkSync(project, join(dir, 'link'));
    expect(why(join(dir, 'link', '.'), home)).toBe(project);
  });

  it('refuses what holds far more than one project, and says why', () => {
    const { dir, home } = scene();
    symlinkSync('/', join(dir, 'root'));
    expect(why('/', home)).toContain('root of the whole system');
    expect(why(join(dir, 'root'), home)).toContain('root of the whole system');
    for (const path of ['~', homedir(), '/root', '/home'])
      expect(why(path, home)).toMatch(/home directory|does not exist/);
    expect(why('/proc', home)).toContain('mounted volume');
  });

  it('refuses the Coppice home, what is inside it and what is above it', () => {
    const { dir, home } = scene();
    expect(why(home, home)).toContain('holds the Coppice home');
    expect(why(join(home, 'sessions'), home)).toContain('inside the Coppice home');
    expect(why(join(dir, 'above'), home)).toContain('holds the Coppice home');
  });

  it('refuses what is no folder', () => {
    const { dir, home } = scene();
    writeFileSync(join(dir, 'file'), '');
    expect(why(join(dir, 'file'), home)).toContain('is not a folder');
    expect(why(join(dir, 'file', 'below'), home)).toContain('does not exist');
    expect(why(join(dir, 'none'), home)).toContain('does not exist');
  });
});
