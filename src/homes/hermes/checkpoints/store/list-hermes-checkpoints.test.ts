import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addV1Checkpoints, addV2Checkpoints, projectHash } from '../../../../../test/support/hermes-checkpoints.ts';
import { treeState } from '../../../../../test/support/hermes-tree.ts';
import { listHermesCheckpoints } from './list-hermes-checkpoints.ts';

const AT = Date.UTC(2026, 9, 1);

let home: string;
let checkpoints: string;
let workdir: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
  checkpoints = join(home, 'checkpoints');
  workdir = join(home, 'work');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const project = (name = '') => ({
  workdir: workdir + name,
  reasons: ['before write_file', 'before patch'],
  firstAt: AT,
});
const SNAPSHOTS = [
  expect.objectContaining({ reason: 'before patch', takenAt: AT + 60_000 }),
  expect.objectContaining({ reason: 'before write_file', takenAt: AT }),
];

describe('listing the checkpoints of a Hermes home', () => {
  it('finds none where there are none', async () => {
    expect(await listHermesCheckpoints(home)).toEqual({ projects: [], sizeBytes: 0, sizes: new Map(), problems: [] });
  });

  it('reads the shared store, newest first, and changes nothing in it', async () => {
    addV2Checkpoints(checkpoints, project('1'));
    addV2Checkpoints(checkpoints, project('2'));
    const before = treeState(home);
    const { projects, problems, sizeBytes } = await listHermesCheckpoints(home);
    const expected = ['1', '2'].map((name) => ({
      layout: 'v2',
      hash: projectHash(workdir + name),
      repository: 'checkpoints/store',
      workdir: workdir + name,
      lastTouchAt: AT + 120_000,
      parent: { dev: expect.any(String) as string, ino: expect.any(String) as string },
      snapshots: SNAPSHOTS,
    }));
    expect(projects).toEqual(expected.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)));
    expect(problems).toEqual([]);
    expect(sizeBytes).toBeGreaterThan(0);
    expect(treeState(home)).toEqual(before);
  });

  it('reads repositories of the older layout, also when their folder is gone', async () => {
    addV1Checkpoints(checkpoints, project());
    rmSync(workdir, { recursive: true });
    const before = treeState(home);
    const { projects, problems, sizeBytes } = await listHermesCheckpoints(home);
    const hash = projectHash(workdir);
    const repository = `checkpoints/${hash}`;
    expect(projects).toEqual([{ layout: 'v1', hash, repository, workdir, snapshots: SNAPSHOTS, sizeBytes }]);
    expect(problems).toEqual([]);
    expect(treeState(home)).toEqual(before);
  });

  it('reads repositories that were moved aside', async () => {
    addV1Checkpoints(checkpoints, project());
    const hash = projectHash(workdir);
    mkdirSync(join(checkpoints, 'legacy-20260506-120000'));
    renameSync(join(checkpoints, hash), join(checkpoints, 'legacy-20260506-120000', hash));
    const { projects } = await listHermesCheckpoints(home);
    expect(projects).toMatchObject([{ layout: 'legacy', workdir, snapshots: SNAPSHOTS }]);
    expect(projects[0]?.sizeBytes).toBeGreaterThan(0);
  });

  it('names no folder when what Hermes noted is damaged, missing or about another one', async () => {
    const hash = projectHash(workdir);
    const page = join(checkpoints, 'store/projects', `${hash}.json`);
    addV2Checkpoints(checkpoints, project());
    for (const content of ['[]', '{ half', JSON.stringify({ workdir: '/somewhere/else' })]) {
      writeFileSync(page, content);
      const { projects, problems } = await listHermesCheckpoints(home);
      expect(projects).toMatchObject([{ hash, snapshots: SNAPSHOTS }]);
      expect(projects[0]).not.toHaveProperty('workdir');
      expect(problems).toMatchObject([{ kind: 'checkpoint-metadata' }]);
    }
    unlinkSync(page);
    expect((await listHermesCheckpoints(home)).problems).toMatchObject([{ kind: 'checkpoint-metadata' }]);
  });

  it('reports a repository that git cannot read and goes on with the others', async () => {
    addV1Checkpoints(checkpoints, project('1'));
    addV1Checkpoints(checkpoints, project('2'));
    rmSync(join(checkpoints, projectHash(`${workdir}1`), 'objects'), { recursive: true });
    const { projects, problems } = await listHermesCheckpoints(home);
    expect(projects).toHaveLength(2);
    expect(new Set(projects.map(({ snapshots }) => snapshots.length))).toEqual(new Set([0, 2]));
    expect(problems).toMatchObject([{ kind: 'checkpoint-unreadable' }]);
  });

  it('reports what it does not know', async () => {
    mkdirSync(join(checkpoints, 'mine'), { recursive: true });
    writeFileSync(join(checkpoints, '.last_prune'), '1');
    const { problems } = await listHermesCheckpoints(home);
    expect(problems).toMatchObject([{ kind: 'unknown-file', subject: 'checkpoints/mine' }]);
  });
});
