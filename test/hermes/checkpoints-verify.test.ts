import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { projectHash } from '../../src/homes/hermes/checkpoints/store/read-snapshots.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { addV1Checkpoints, addV2Checkpoints } from '../support/hermes-checkpoints.ts';
import { runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';
import { treeState } from '../support/hermes-tree.ts';

let home: string;
let workdir: string;
beforeEach(() => {
  const root = tempDirInMemory();
  home = join(root, 'hermes');
  workdir = join(root, 'work');
});

const LAYOUTS = [
  ['v1', addV1Checkpoints],
  ['v2', addV2Checkpoints],
] as const;

describe.each(LAYOUTS)('verifying checkpoints of Hermes, layout %s', (layout, add) => {
  const gitDir = () => join(home, 'checkpoints', layout === 'v1' ? projectHash(workdir) : 'store');
  const verify = () => runOn(home, ['checkpoints', 'verify']);

  beforeEach(() => {
    buildHermesHome(home);
    add(join(home, 'checkpoints'), { workdir, reasons: ['one', 'two', 'three'], firstAt: HERMES_NOW - HERMES_DAY });
  });

  it('finds nothing wrong with those that are whole, and changes nothing', async () => {
    const before = treeState(home);
    expect(await verify()).toMatchObject({
      code: 0,
      out: '3 checkpoints: all complete, and exactly what was saved.\n',
    });
    expect(treeState(home)).toEqual(before);
  });

  it('finds nothing wrong with a history that was cut, nor with what waits in the trash', async () => {
    expect((await runOn(home, ['checkpoints', 'prune', '--max-snapshots', '1', '--yes'])).code).toBe(0);
    expect(await verify()).toMatchObject({ code: 0, out: expect.stringContaining('1 checkpoint: all complete') });
    await runOn(home, ['undo', '--yes']);
    expect(await verify()).toMatchObject({ code: 0, out: expect.stringContaining('3 checkpoints: all complete') });
  });

  it('says when one is damaged, and which repository', async () => {
    const content = execFileSync('git', ['--git-dir', gitDir(), 'rev-list', '--objects', '--all', '--reverse'], {
      encoding: 'utf8',
    });
    const file = content.split('\n').find((line) => line.includes(' ') && !line.endsWith(' ')) ?? '';
    const id = file.slice(0, 40);
    const loose = join(gitDir(), 'objects', id.slice(0, 2), id.slice(2));
    expect(readdirSync(join(gitDir(), 'objects', id.slice(0, 2)))).toContain(id.slice(2));
    chmodSync(loose, 0o600);
    writeFileSync(loose, 'no object of git');
    const { code, out } = await verify();
    expect(code).toBe(12);
    expect(out).toContain('git finds damage in ');
  });
});
