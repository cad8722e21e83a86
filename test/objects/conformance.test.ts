import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { testHomeArchive, testHomeArchiveCrashes } from '../../src/homes/home-archive.conformance.ts';
import { ALL_TRAITS } from '../../src/kit/homes/tested-home.ts';
import { folderObjects, leavingNothing } from '../support/archive-objects.ts';
import { buildScene } from '../support/engine-scene.ts';
import { fileTestedHome, withoutSecrets } from '../support/file-home-conformance.ts';
import { copyArchivingHermes } from '../support/hermes-archiving-home.ts';
import { addPrompts, buildHermesHome } from '../support/hermes-home.ts';
import { copyNative } from '../support/native-tested-home.ts';
import { sampleKind } from '../support/sample-agent.ts';
import { sampleScene } from '../support/sample-scene.ts';

// What is promised of archives holds wherever they are: in every kind of home, with the bundles in a folder elsewhere.

const EVERY = process.env['COPPICE_TORTURE'] === undefined ? 31 : 1;
const scene = mkdtempSync(join(tmpdir(), 'coppice-native-scene-'));
const template = mkdtempSync(join(tmpdir(), 'coppice-hermes-template-'));
beforeAll(() => {
  buildHermesHome(template, {
    sessions: [
      { id: 'trunk', messages: ['hello', 'start'], title: 'The trunk', files: ['snapshot', 'dump'] },
      { id: 'open', messages: ['hello'], end: 'open' },
    ],
  });
  addPrompts(template, { 'One prompt': ['trunk'] });
  return buildScene(scene);
});
afterAll(() => {
  for (const path of [scene, template]) rmSync(path, { recursive: true, force: true });
});

const native = () => leavingNothing(folderObjects(), (objects) => copyNative(scene, objects));
testHomeArchive('Native, archived elsewhere', native);
testHomeArchiveCrashes('Native, archived elsewhere', native, EVERY);

const hermes = () =>
  leavingNothing(folderObjects(), (objects) =>
    copyArchivingHermes({ path: template, removable: ['trunk'], held: ['open'], words: ['hello'] }, objects),
  );
testHomeArchive('Hermes, archived elsewhere', hermes);
testHomeArchiveCrashes('Hermes, archived elsewhere', hermes, 3 * EVERY);

const files = () =>
  leavingNothing(folderObjects(), (objects) => fileTestedHome(sampleKind(), withoutSecrets(sampleScene), objects));
const uses = Object.keys(sampleScene.uses) as (keyof typeof sampleScene.uses)[];
testHomeArchive('Files, archived elsewhere', files, { ...ALL_TRAITS, uses });
testHomeArchiveCrashes('Files, archived elsewhere', files, 3 * EVERY);
