import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { testHomeDriverCrashes } from '../../src/homes/home-driver.conformance.ts';
import { addPrompts, buildHermesHome, type HermesHomeSpec } from '../support/hermes-home.ts';
import { copyHermes } from '../support/hermes-tested-home.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-hermes-templates-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Every way to die takes minutes here; a smaller home dies at every change in every run. */
const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;

const SHAPES = [
  { schema: 30, journal: 'wal', every: TORTURE ? 1 : 11 },
  { schema: 'legacy', journal: 'delete', every: TORTURE ? 1 : 7 },
] as const;

for (const { schema, journal, every } of SHAPES) {
  const path = join(root, String(schema));
  beforeAll(() => {
    buildHermesHome(path, { ...SMALL, schema, journal });
    addPrompts(path, { 'One prompt': ['trunk', 'long'] });
  });
  testHomeDriverCrashes(
    `Hermes, schema ${schema}, ${journal} journal`,
    async () =>
      copyHermes({ path, removable: ['trunk', 'twig', 'long'], held: [], words: ['hello', 'message', 'sta'] }),
    every,
  );
}

/** A parent and its child, files, and a session so long that it goes in pieces. */
const SMALL: HermesHomeSpec = {
  sessions: [
    { id: 'trunk', messages: ['hello', 'start'], files: ['snapshot', 'dump'] },
    { id: 'twig', parent: 'trunk', messages: ['two'], modelConfig: { _branched_from: 'trunk' } },
    { id: 'long', messages: Array.from({ length: 410 }, (_, at) => `message ${at}`), files: ['transcript'] },
  ],
  files: { 'sessions/request_dump_gone_20260101_000000_000000.json': '{}' },
};
