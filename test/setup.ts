import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// Whatever a test forgets to set, it must not find the real home directory or a real Coppice home.
const sandbox = mkdtempSync(join(tmpdir(), 'coppice-test-home-'));
process.env['HOME'] = sandbox;
process.env['USERPROFILE'] = sandbox;
const CAMPAIGN = new Set(['COPPICE_TORTURE', 'COPPICE_SEED', 'COPPICE_POINTS', 'COPPICE_LOAD_SECONDS']);
for (const name of Object.keys(process.env))
  if (name.startsWith('COPPICE_') && !CAMPAIGN.has(name)) delete process.env[name];

afterAll(() => rmSync(sandbox, { recursive: true, force: true }));
