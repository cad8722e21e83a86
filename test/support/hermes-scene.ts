import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A folder for each test of a file, and the place of a Hermes home in it. */
export interface HermesScene {
  readonly root: string;
  readonly home: string;
}

/** Calls back with the scene of a test before it begins. */
export function eachHermesScene(begin: (scene: HermesScene) => void): void {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
    begin({ root, home: join(root, 'hermes') });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
}
