import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copySession, recordsFor } from '../../src/app/open-foreign.ts';
import { USES } from '../../src/core/sessions/in-use.ts';
import { testHomeArchive, testHomeArchiveCrashes } from '../../src/homes/home-archive.conformance.ts';
import { testHomeDriver, testHomeDriverCrashes } from '../../src/homes/home-driver.conformance.ts';
import type { HomeKind, OpenedHome } from '../../src/homes/home-kind.ts';
import { testHomeUses } from '../../src/homes/home-uses.conformance.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import type { HomeTraits, TestedHome } from '../../src/kit/homes/tested-home.ts';
import { collect } from './collect.ts';
import { homeUsage } from './disk-usage.ts';
import { dumpFileHome, FILE_NOW, type FileHomeScene } from './file-home-scene.ts';
import { dieAtChange } from './hermes-faults.ts';

/**
 * Everything that is promised of a home whose sessions are files, for one kind of them. A test of a kind is one call:
 *
 *   import { testFileHome } from '../../../test/support/file-home-conformance.ts';
 *   testFileHome('pi', piKind, piScene);
 *
 * where `piKind` is what `fileHomeKind(…)` gave, and `piScene` is a `FileHomeScene`: it builds a home (see `putFile` and `jsonLines`),
 * names the sessions that may go and those that may not, and says how its agent changes and uses one. `every` is how many changes to
 * a file or database lie between two deaths that are tried; with COPPICE_TORTURE it is 1.
 */
export function testFileHome(name: string, kind: HomeKind, scene: FileHomeScene, { every = 7 } = {}): void {
  const traits: HomeTraits = {
    uses: USES.filter((use) => scene.uses[use] !== undefined),
    parts: scene.spares === true ? ['drop-dumps', 'drop-files'] : [],
    conversations: scene.continues ?? false,
  };
  const step = process.env['COPPICE_TORTURE'] === undefined ? every : 1;
  const make = () => fileTestedHome(kind, scene);
  testHomeDriver(name, make, traits);
  testHomeUses(name, make, traits);
  testHomeDriverCrashes(name, make, step);
  // What an archive leaves out is not there to come back.
  const makeArchived = () => fileTestedHome(kind, withoutSecrets(scene));
  testHomeArchive(name, makeArchived, traits);
  testHomeArchiveCrashes(name, makeArchived, process.env['COPPICE_TORTURE'] === undefined ? 3 * step : step);
  testFileHomeSums(name, kind, scene);
}

/** Every file is in one place, every byte in one part, and looking leaves no trace. */
function testFileHomeSums(name: string, kind: HomeKind, scene: FileHomeScene): void {
  describe(`${name}: the sums`, () => {
    it('counts every file once, and every byte that du counts', async () => {
      await using home = await fileTestedHome(kind, scene);
      const seen: string[] = [];
      const {
        disk,
        files = [],
        sessions,
      } = await home.driver.scan({ onFile: ({ kind: sort }) => void seen.push(sort) });
      const walked = dumpFileHome(home.path).filter((line) => / \d{6} \d+ \w{16}$/.test(line));
      expect(seen.length).toBe(walked.length);
      expect(files.reduce((sum, { files: count }) => sum + count, 0)).toBeGreaterThanOrEqual(walked.length);
      expect(disk.usedBytes).toBe(homeUsage(home.path));
      expect(Object.values(disk.parts ?? {}).reduce((sum, bytes) => sum + bytes, 0)).toBe(disk.usedBytes);
      expect(sessions.length).toBeGreaterThanOrEqual(scene.removable.length + scene.held.length);
    });

    it('reads each session alike, whether it is asked for alone or in a list', async () => {
      await using home = await fileTestedHome(kind, scene);
      const { store } = home.opened;
      for (const facts of await collect(store.list())) {
        expect(await store.get(facts.id)).toEqual(facts);
        const messages = await collect(store.messages(facts.id));
        expect(messages.length).toBe(facts.messageCount);
        expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, at) => at + 1));
        expect(await collect(store.messages(facts.id, { last: 2 }))).toEqual(messages.slice(-2));
        expect(await collect(store.messages(facts.id, { from: 2, to: 3 }))).toEqual(messages.slice(1, 3));
      }
    });
  });
}

export interface FileTestedHome extends TestedHome {
  readonly path: string;
  readonly opened: OpenedHome;
}

/** A home that was just built, for one test. */
export async function fileTestedHome(kind: HomeKind, scene: FileHomeScene): Promise<FileTestedHome> {
  const root = mkdtempSync(join(tmpdir(), 'coppice-file-home-'));
  const path = join(root, 'home');
  scene.build(path);
  const first = await openTested(kind, path);
  const before = await problemsOf(first);
  const uses: Disposable[] = [];
  return {
    path,
    opened: first,
    driver: first.driver,
    removable: scene.removable,
    held: scene.held,
    dump: async () => dumpFileHome(path, scene),
    async change(id) {
      scene.change(path, id);
    },
    async use(id, use) {
      const used = scene.uses[use]?.(path, id);
      if (used !== undefined) uses.push(used);
    },
    problems: async () => (await problemsOf(first)).filter((problem) => !before.includes(problem)),
    async dieAt(change, step) {
      const other = await openTested(kind, path);
      try {
        return await dieAtChange(change, () => step(other.driver));
      } finally {
        await other.store[Symbol.asyncDispose]();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const used of uses) used[Symbol.dispose]();
      await first.store[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function openTested(kind: HomeKind, path: string): Promise<OpenedHome> {
  const found = await kind.detect(path);
  if (found === undefined) throw new Error(`${path} is no home of ${kind.agent}`);
  const clock = { now: () => FILE_NOW };
  const layout = nativeLayout(join(path, '.coppice'));
  const records = recordsFor({ layout, clock, brief: false });
  const opened = await found.open({ layout, clock, codec: 'brotli', records, copySession });
  // One that is only shown is never prepared for a change.
  if (opened.reasons.length === 0) await opened.prepare();
  return opened;
}

async function problemsOf({ store }: OpenedHome): Promise<string[]> {
  const checks = await collect(store.check());
  return checks.flatMap(({ problems }) => problems.map(({ subject, message }) => `${subject}: ${message}`));
}

function withoutSecrets(scene: FileHomeScene): FileHomeScene {
  const { secret } = scene;
  if (secret === undefined) return scene;
  return {
    ...scene,
    build(home) {
      scene.build(home);
      for (const line of dumpFileHome(home)) {
        const [path = ''] = line.split(/ \d{6} /);
        if (secret(path)) rmSync(join(home, path));
      }
    },
  };
}
