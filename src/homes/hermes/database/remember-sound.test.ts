import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildHermesHome } from '../../../../test/support/hermes-home.ts';
import { rememberSound } from './remember-sound.ts';

it('remembers a sound database, and asks a damaged one again', async () => {
  const home = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  buildHermesHome(home, { journal: 'delete', sessions: [{ id: 's', messages: ['hello'] }] });
  const file = join(home, 'state.db');
  const whole = readFileSync(file);
  const broken = Buffer.from(whole).fill(0xff, 4096, 3 * 4096);
  writeFileSync(file, broken);
  const ask = rememberSound(home);
  const damage = /^Its database (is damaged|cannot be read): .* Nothing is removed from it or brought back/;
  expect(await ask()).toMatch(damage);
  expect(await ask()).toMatch(damage);
  writeFileSync(file, whole);
  expect(await ask()).toBeUndefined();
  writeFileSync(file, broken);
  expect(await ask()).toBeUndefined();
});
