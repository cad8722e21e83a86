import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { testHomeArchive } from '../../src/homes/home-archive.conformance.ts';
import { testHomeDriver } from '../../src/homes/home-driver.conformance.ts';
import { testHomeUses } from '../../src/homes/home-uses.conformance.ts';
import { buildScene } from '../support/engine-scene.ts';
import { copyNative } from '../support/native-tested-home.ts';

const scene = mkdtempSync(join(tmpdir(), 'coppice-native-scene-'));
beforeAll(() => buildScene(scene));
afterAll(() => rmSync(scene, { recursive: true, force: true }));

testHomeDriver('Native', () => copyNative(scene));
testHomeUses('Native', () => copyNative(scene));
testHomeArchive('Native', () => copyNative(scene));
