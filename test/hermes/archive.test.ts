import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testHomeArchive, testHomeArchiveCrashes } from '../../src/homes/home-archive.conformance.ts';
import { copyArchivingHermes } from '../support/hermes-archiving-home.ts';
import { runOn } from '../support/hermes-cli.ts';
import { dumpHermes } from '../support/hermes-dump.ts';
import { addPrompts, buildHermesHome, type HermesHomeSpec, structured } from '../support/hermes-home.ts';
import type { HermesTemplate } from '../support/hermes-tested-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-hermes-templates-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Every way to die takes minutes. */
const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;

/** A parent and its child, files, a long session, and one that is open. */
const SPEC: HermesHomeSpec = {
  sessions: [
    { id: 'trunk', messages: ['hello', 'start'], title: 'The trunk', files: ['snapshot', 'dump'] },
    { id: 'twig', parent: 'trunk', messages: [structured({ text: 'two' })], modelConfig: { _branched_from: 'trunk' } },
    { id: 'long', messages: Array.from({ length: 210 }, (_, at) => `message ${at}`), files: ['transcript'] },
    { id: 'empty' },
    { id: 'open', messages: ['hello'], end: 'open' },
  ],
};

function template(schema: 30 | 'legacy', journal: 'wal' | 'delete'): () => HermesTemplate {
  const path = join(root, `${schema}-${journal}`);
  beforeAll(() => {
    buildHermesHome(path, { ...SPEC, schema, journal });
    addPrompts(path, { 'One prompt': ['trunk', 'long'] });
  });
  const removable = ['trunk', 'twig', 'long', 'empty'];
  return () => ({ path, removable, held: ['open'], words: ['hello', 'message', 'sta'] });
}

const newer = template(30, 'wal');
const older = template('legacy', 'delete');
testHomeArchive('Hermes, schema 30, wal journal', () => copyArchivingHermes(newer()));
testHomeArchive('Hermes, schema legacy, delete journal', () => copyArchivingHermes(older()));
// A smaller home dies at every change in every run; this one takes minutes.
if (TORTURE) testHomeArchiveCrashes('Hermes', () => copyArchivingHermes(newer()));

it('shows, finds and restores archived sessions of a Hermes home by the usual commands', async () => {
  const home = buildHermesHome(join(tempDir(), 'hermes'), {
    sessions: [
      { id: 'old', messages: ['where is the disk full', 'here'], title: 'Full disk', files: ['dump'] },
      { id: 'kept', messages: ['hello'], end: 'open' },
    ],
  });
  expect((await runOn(home, ['sessions', 'archive', '--older-than', '30d', '--yes'])).out).toMatch(
    /Archived 1 session/,
  );
  expect((await runOn(home, ['sessions', 'list'])).out).not.toMatch(/old/);
  expect((await runOn(home, ['sessions', 'list', '--archived'])).out).toMatch(/old .*archived .*Full disk/);
  expect((await runOn(home, ['sessions', 'search', 'where'])).out).toMatch(/old/);
  expect((await runOn(home, ['sessions', 'search', 'Full'])).out).toMatch(/old/);
  expect((await runOn(home, ['doctor'])).out).toMatch(/archive/);
  const { out, err } = await runOn(home, ['sessions', 'restore', 'old']);
  expect(out + err).toMatch(/Restored 1 session/);
  expect((await runOn(home, ['sessions', 'show', 'old', '--messages', 'all'])).out).toMatch(/where is the disk full/);
  expect((await runOn(home, ['sessions', 'list', '--archived'])).out).not.toMatch(/old/);
});

it('gives a session that stayed its parent back when that comes out of the archive', async () => {
  const home = buildHermesHome(join(tempDir(), 'hermes'), {
    sessions: [
      { id: 'parent', messages: ['hello'] },
      { id: 'child', parent: 'parent', modelConfig: { _branched_from: 'parent' }, messages: ['hello'], pinned: true },
    ],
  });
  const before = dumpHermes(home, ['hello']);
  expect((await runOn(home, ['sessions', 'archive', '--older-than', '30d', '--yes'])).out).toMatch(
    /Archived 1 session/,
  );
  expect((await runOn(home, ['sessions', 'restore', 'parent'])).code).toBe(0);
  expect(dumpHermes(home, ['hello'])).toEqual(before);
});
