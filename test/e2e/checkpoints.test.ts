import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();
const home = join(root, 'home');
const project = join(root, 'project');

interface CheckpointJson {
  readonly id: string;
  readonly takenAt: string;
  readonly reason: string;
  readonly pinned: boolean;
  readonly fileCount: number;
}

beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, 'a.txt'), 'one\n');
  writeFileSync(join(project, 'large'), Buffer.alloc(2 * 1024 * 1024));
  await coppice(home, ['config', 'init']);
});

describe('coppice checkpoints', () => {
  it('takes, lists, shows and pins', async () => {
    const small = ['--set', 'checkpoints.max_file_size_mb=1'];
    const none = await coppice(home, ['checkpoints', 'list'], { cwd: project });
    expect(none.stdout).toContain('coppice checkpoints take');
    const first = await coppice(home, ['checkpoints', 'take', ...small, '--reason', 'the start'], { cwd: project });
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^Saved 1 file of .*project as [0-9a-f]{12}\.\n$/);
    expect(first.stderr).toBe('Left out: large (larger than checkpoints.max_file_size_mb)\n');
    const again = await coppice(home, ['checkpoints', 'take', ...small, project]);
    expect(again.stdout).toMatch(/^Nothing has changed in .* since [0-9a-f]{12} \(just now\)\.\n$/);
    writeFileSync(join(project, 'a.txt'), 'two!\n');
    const taken = await coppiceJson<CheckpointJson>(home, ['checkpoints', 'take', ...small, project]);
    expect(taken).toMatchObject({ status: 'taken', fileCount: 1, leftOut: [{ path: 'large', why: 'too-large' }] });

    const { checkpoints } = await coppiceJson<{ checkpoints: CheckpointJson[] }>(home, [
      'checkpoints',
      'list',
      '--all',
    ]);
    expect(checkpoints.map(({ reason }) => reason)).toEqual(['by hand', 'the start']);
    const list = await coppice(home, ['checkpoints', 'list', project]);
    expect(list.stdout).toMatch(/^ID +TAKEN +FILES +PIN +REASON\n/);

    const id = taken.id.slice(0, 8);
    const shown = await coppice(home, ['checkpoints', 'show', id]);
    expect(shown.stdout).toContain('0 added, 1 changed, 0 removed (5 B), against ');
    const pinned = await coppice(home, ['checkpoints', 'pin', id]);
    expect(pinned.stdout).toContain('is pinned: nothing removes it');
    expect(await coppiceJson(home, ['checkpoints', 'show', id])).toMatchObject({
      pinned: true,
      changes: { changed: 1 },
    });
    expect((await coppice(home, ['checkpoints', 'unpin', id])).stdout).toContain('is no longer pinned');
    expect(await coppiceJson(home, ['checkpoints', 'show', id])).toMatchObject({ pinned: false });
  });

  it('refuses with a reason and the next step', async () => {
    const cases: [string[], number, string][] = [
      [['take', '/'], 5, 'root of the whole system'],
      [['take', home], 5, 'holds the Coppice home'],
      [['take', join(root, 'nowhere')], 5, 'does not exist'],
      [['show', '--', '-x'], 2, 'is not the id of a checkpoint'],
      [['show', 'refs/heads/none'], 2, 'is not the id of a checkpoint'],
      [['show', '0000'], 10, 'There is no checkpoint 0000'],
      [['list', project, '--all'], 2, 'both given'],
    ];
    for (const [args, code, message] of cases) {
      const result = await coppice(home, ['checkpoints', ...args]);
      expect([result.code, result.stderr], args.join(' ')).toEqual([code, expect.stringContaining(message)]);
    }
  });
});
