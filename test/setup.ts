import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// Whatever a test forgets to set, it must not find the real home directory or a real Coppice home.
const sandbox = mkdtempSync(join(tmpdir(), 'coppice-test-home-'));
process.env['HOME'] = sandbox;
process.env['USERPROFILE'] = sandbox;
// The program says the same of its process. What a host that says nothing of it sees, `test/hosts` tells.
process.env['SQLITE_USE_URI'] = '1';
const CAMPAIGN = new Set(['COPPICE_TORTURE', 'COPPICE_SEED', 'COPPICE_POINTS', 'COPPICE_LOAD_SECONDS']);
for (const name of Object.keys(process.env))
  if (name.startsWith('COPPICE_') && !CAMPAIGN.has(name)) delete process.env[name];

afterAll(() => rmSync(sandbox, { recursive: true, force: true }));
