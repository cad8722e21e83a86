import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import { homeUsage } from '../../../test/support/disk-usage.ts';
import { fileTestedHome } from '../../../test/support/file-home-conformance.ts';
import { dumpFileHome } from '../../../test/support/file-home-scene.ts';
import { buildOpencode, LEFT_OVER, opencodeScene } from '../../../test/support/opencode-scene.ts';
import { testHomeDriver, testHomeDriverCrashes } from '../home-driver.conformance.ts';
import { removals, RUN } from '../tested-home.conformance.ts';
import { opencodeKind } from './opencode-kind.ts';

const make = () => fileTestedHome(opencodeKind, opencodeScene);

testHomeDriver('opencode', make, { uses: [], parts: [], conversations: false });
// A log without its shared memory is read as a copy, which takes a while.
const atRest = { ...opencodeScene, build: (home: string) => buildOpencode(home, { inLog: false }) };
const makeAtRest = () => fileTestedHome(opencodeKind, atRest);
testHomeDriverCrashes('opencode', makeAtRest, process.env['COPPICE_TORTURE'] === undefined ? 23 : 1);

describe('a home of opencode', () => {
  it('lets go of what no row names, and of nothing else', async () => {
    await using home = await make();
    const { strays } = await home.driver.scan();
    expect(strays.map(({ id }) => id).toSorted()).toEqual(LEFT_OVER);
    const before = dumpFileHome(home.path);
    await home.driver.discard(RUN, await removals(home));
    const left = dumpFileHome(home.path);
    const isGone = (line: string) =>
      LEFT_OVER.some((path) => line.startsWith(`${path} `) || line.startsWith(`${path}/`));
    expect(left).toEqual(before.filter((line) => !isGone(line)));
  });

  it('counts every file once, and every byte that du counts', async () => {
    await using home = await make();
    const seen: string[] = [];
    const { disk, files = [] } = await home.driver.scan({ onFile: ({ kind }) => void seen.push(kind) });
    expect(seen.length).toBe(dumpFileHome(home.path).filter((line) => / \d{6} \d+ \w{16}$/.test(line)).length);
    expect(disk.usedBytes).toBe(homeUsage(home.path));
    expect(Object.values(disk.parts ?? {}).reduce((sum, bytes) => sum + bytes, 0)).toBe(disk.usedBytes);
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['database', 'snapshot', 'orphan', 'debris']));
  });

  it('tells each session alike, alone or in a list, with the command that removes it', async () => {
    await using home = await make();
    const { store } = home.opened;
    const listed = await collect(store.list());
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([...opencodeScene.held]));
    for (const facts of listed) {
      expect(await store.get(facts.id)).toEqual(facts);
      const messages = await collect(store.messages(facts.id));
      expect(messages.length).toBe(facts.messageCount);
      expect(await collect(store.messages(facts.id, { last: 2 }))).toEqual(messages.slice(-2));
      const command = `opencode export ${facts.id} > ${facts.id}.json && opencode session delete ${facts.id}`;
      expect(facts.hold).toEqual({ kind: 'through-owner', command });
    }
  });
});
