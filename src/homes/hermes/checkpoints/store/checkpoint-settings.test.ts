import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../../../test/support/temp-dir.ts';
import { readCheckpointSettings } from './checkpoint-settings.ts';

describe('the limits that Hermes has for checkpoints', () => {
  it.each([
    ['', {}],
    ['checkpoints: [', {}],
    ['checkpoints: true\n', {}],
    ['checkpoints:\n  max_snapshots: 0\n  max_file_size_mb: -1\n  max_total_size_mb: many\n', {}],
    ['checkpoints:\n  max_snapshots: 7.9\n  max_file_size_mb: 2.5\n', { maxSnapshots: 7, maxFileSizeMb: 2.5 }],
    ['checkpoints:\n  max_total_size_mb: 0\n', { maxTotalSizeMb: 1_000_000_000 }],
  ])('are read from %j, and a bad value is none', (text, settings) => {
    const home = tempDir();
    expect(readCheckpointSettings(home)).toEqual({});
    writeFileSync(join(home, 'config.yaml'), text);
    expect(readCheckpointSettings(home)).toEqual(settings);
  });
});
