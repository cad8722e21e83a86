import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { testHomeDriver } from '../../src/homes/home-driver.conformance.ts';
import { testHomeUses } from '../../src/homes/home-uses.conformance.ts';
import { addPrompts } from '../support/hermes-home.ts';
import type { HermesJournal, HermesSchema } from '../support/hermes-schema.ts';
import { LIVE_IDS, NASTY_IDS, standardHermesHome } from '../support/hermes-standard-home.ts';
import { copyHermes } from '../support/hermes-tested-home.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-hermes-templates-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SCHEMAS: readonly HermesSchema[] = [25, 30, 'legacy'];
const JOURNALS: readonly HermesJournal[] = ['wal', 'delete'];

for (const schema of SCHEMAS) {
  for (const journal of JOURNALS) {
    const name = `Hermes, schema ${schema}, ${journal} journal`;
    const home = template(`${schema}-${journal}`, (path) => {
      standardHermesHome(path, schema, journal);
      addPrompts(path, { 'One prompt': ['plain', 'archived'], Another: ['structured', 'pinned'] });
    });
    const copy = async () => copyHermes({ path: home(), removable: REMOVABLE, held: held(schema), words: WORDS });
    testHomeDriver(name, copy);
    // What holds a session does not depend on the journal, and every schema in between has the same evidence.
    if (journal === 'wal' && schema !== 25) testHomeUses(name, copy);
  }
}

const WORDS = ['hello', 'start', 'sum', 'message', 'two', 'nowhere'];
const REMOVABLE = [
  'plain',
  'tip',
  'root',
  'structured',
  'empty',
  'archived',
  'forked',
  'fresh',
  'helper',
  ...NASTY_IDS,
];

function held(schema: HermesSchema): readonly string[] {
  const live = Object.values(LIVE_IDS).filter((id) => schema === 30 || id !== LIVE_IDS.leased);
  return [...live, 'pinned', 'odd-config'];
}

/** Built once, when the first test asks. */
function template(name: string, build: (path: string) => void): () => string {
  const path = join(root, name);
  let built = false;
  return () => {
    if (!built) build(path);
    built = true;
    return path;
  };
}
