import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';

const configured = (schedule: string) =>
  `cron:\n  jobs:\n    report:\n      schedule: "${schedule}"\n      command: ["true"]\n`;

it('a job of the configuration makes up for a slot that passed while no daemon ran, also before its first run', async () => {
  const clock = manualClock();
  const path = tempDir();
  const write = (schedule: string) => writeFileSync(join(path, 'config.yaml'), configured(schedule), { mode: 0o600 });
  const tick = async () => {
    await using home = await openHome({ path, clock, env: {} });
    const { started, ended } = await (await home.scheduler()).tick();
    await ended;
    return started;
  };
  write('0 13 * * *');
  expect(await tick()).toEqual([]);
  clock.set(NOW + 2 * HOUR_MS);
  expect(await tick()).toEqual(['cron_report_20260115_130000']);
  expect(await tick()).toEqual([]);
  // Once it has run, the same: of several slots the newest.
  clock.set(NOW + 3 * DAY_MS + 2 * HOUR_MS);
  expect(await tick()).toEqual(['cron_report_20260118_130000']);
  // With another schedule nothing was missed.
  write('0 14 * * *');
  clock.set(NOW + 5 * DAY_MS);
  expect(await tick()).toEqual([]);
  clock.set(NOW + 5 * DAY_MS + 3 * HOUR_MS);
  expect(await tick()).toEqual(['cron_report_20260120_140000']);
});
