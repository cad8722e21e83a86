import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCrashChecker } from '../support/crash-checker.ts';
import { seededRandom } from '../support/crash-content.js';
import { runWriter } from '../support/run-writer.ts';

const KILLS = process.env['COPPICE_TORTURE'] === undefined ? 50 : 2000;
const KILLS_PER_HOME = 10;
const LONGEST_LIFE_MS = 30;

describe('a writer that is killed', () => {
  it(`loses nothing that it acknowledged, at ${KILLS} random moments`, async () => {
    const seed = randomInt(2 ** 31);
    const homes = Array.from({ length: KILLS / KILLS_PER_HOME }, (_, index) => seed + index * 1000);
    // Two homes at a time: one writer works while the other home is checked.
    await Promise.all(
      [0, 1].map(async (lane) => {
        for (const homeSeed of homes.filter((_, index) => index % 2 === lane)) await killAgainAndAgain(homeSeed);
      }),
    );
  }, 3_600_000);
});

async function killAgainAndAgain(homeSeed: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'coppice-crash-'));
  try {
    const checker = createCrashChecker(root);
    const random = seededRandom(homeSeed);
    for (let kill = 0; kill < KILLS_PER_HOME; kill += 1) {
      const lifeMs = random() * LONGEST_LIFE_MS;
      let armed = false;
      const { events, signal, stderr } = await runWriter({
        root,
        seed: homeSeed + kill,
        steps: 100_000,
        onEvent: (event, child) => {
          if (armed || event.event !== 'ok') return;
          armed = true;
          setTimeout(() => child.kill('SIGKILL'), lifeMs);
        },
      });
      const context = `home seed ${homeSeed}, kill ${kill}, after ${lifeMs} ms`;
      expect(signal, `${context}: ${stderr}`).toBe('SIGKILL');
      expect(await checker.check(events), context).toEqual([]);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
