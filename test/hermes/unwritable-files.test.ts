import { chmodSync, chownSync, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHermesDriver } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { doneAll, itemsFor, RUN } from '../../src/homes/tested-home.conformance.ts';
import { coppice } from '../e2e/run-coppice.ts';
import { TORTURE } from '../support/campaign.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { dumpHermes } from '../support/hermes-dump.ts';
import { refuseMoves } from '../support/hermes-faults.ts';
import { buildHermesHome, HERMES_NOW } from '../support/hermes-home.ts';
import { copyHermes } from '../support/hermes-tested-home.ts';
import { NOBODY, PERMISSIONS_BIND } from '../support/nobody.ts';
import { tempDir } from '../support/temp-dir.ts';

const SESSIONS = [
  { id: 'filed', messages: ['hello'], files: ['dump', 'snapshot'] as const },
  { id: 'bare', messages: ['hello'] },
];

describe('files of a session that cannot go with it', () => {
  it.runIf(PERMISSIONS_BIND)('keep it where it is, and the run says so', async () => {
    const home = buildHermesHome(join(tempDir(), 'hermes'), { journal: 'delete', sessions: SESSIONS });
    chmodSync(dirname(home), 0o755);
    give(home);
    chmodSync(join(home, 'sessions'), 0o555);
    const files = readdirSync(join(home, 'sessions')).toSorted();
    const { code, stdout } = await coppice(home, ['sessions', 'prune', '--older-than', '1d', '--yes'], NOBODY);
    expect(code).toBe(3);
    expect(stdout).toContain('The folder sessions of the home may not be written');
    const listed = await coppice(home, ['--json', 'sessions', 'list'], NOBODY);
    expect((JSON.parse(listed.stdout) as { sessions: { id: string }[] }).sessions.map(({ id }) => id)).toEqual([
      'filed',
    ]);
    expect(readdirSync(join(home, 'sessions')).toSorted()).toEqual(files);
  });

  it('bring it back where that shows only once its rows are gone', async () => {
    const home = buildHermesHome(join(tempDir(), 'hermes'), { schema: 30, sessions: SESSIONS });
    const companion = nativeLayout(join(home, '.coppice'));
    const driver = createHermesDriver({ home, clock: { now: () => HERMES_NOW }, companion });
    const before = dumpHermes(home, ['hello']);
    const items = await itemsFor({ driver }, ['filed', 'bare'], 'remove');
    const outcomes = await refuseMoves('request_dump', 'EPERM', () => driver.discard(RUN, items));
    expect(outcomes).toEqual(
      expect.arrayContaining([
        { number: 1, status: 'skipped', detail: expect.stringMatching(/^sessions\/request_dump.* could not be moved/) },
        expect.objectContaining({ number: 2, status: 'done' }),
      ]),
    );
    const [, bare] = items;
    const back = bare === undefined ? [] : [bare];
    expect(await driver.restore(RUN, back)).toEqual(doneAll(back));
    expect(dumpHermes(home, ['hello'])).toEqual(before);
    expect(existsSync(companion.trash(RUN))).toBe(false);
  });

  it('bring it back whole, wherever that is cut short', async () => {
    const path = join(tempDirInMemory(), 'template');
    const long = { role: 'assistant', content: 'word '.repeat(4000) };
    buildHermesHome(path, { sessions: [{ id: 'long', messages: [long, long, long], files: ['dump'] }] });
    const template = { path, removable: ['long'], held: [], words: ['word'] };
    let change = 2;
    // All of them in a long run.
    for (let died = true; died; change += TORTURE ? 1 : 7) {
      await using home = copyHermes(template);
      const before = await home.dump();
      const items = await itemsFor(home, ['long'], 'remove');
      died = await refuseMoves('request_dump', 'EPERM', () =>
        home.dieAt(change, (driver) => driver.discard(RUN, items)),
      );
      expect(await home.driver.discard(RUN, items), `died before change ${change}`).toEqual(doneAll(items));
      expect(await home.driver.restore(RUN, items)).toEqual(doneAll(items));
      expect(await home.dump(), `died before change ${change}`).toEqual(before);
    }
    expect(change).toBeGreaterThan(10);
  }, 300_000);
});

/** To whoever runs the program. */
function give(home: string): void {
  const { uid, gid } = NOBODY;
  if (uid === undefined || gid === undefined) return;
  for (const name of ['', ...readdirSync(home, { recursive: true, encoding: 'utf8' })])
    chownSync(join(home, name), uid, gid);
}
