import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigRequest } from '../../src/app/config/load-config.ts';
import { tempDir } from './temp-dir.ts';

/** A request for the configuration in a file of this content, and for nothing from elsewhere. */
export function writeConfig(content: string | Uint8Array): ConfigRequest {
  const file = join(tempDir(), 'config.yaml');
  writeFileSync(file, content);
  return { file, env: {} };
}
