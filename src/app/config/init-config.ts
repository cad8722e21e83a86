import { existsSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { writeFileAtomic } from '../../platform/private-files.ts';
import { prepareHome } from '../home-path.ts';

/** Writes a first config.yaml into a home, making the home when needed. Returns the file's path. */
export function initConfig(root: string, { text, force }: { text: string; force: boolean }): string {
  prepareHome(root, { create: true });
  const { config } = nativeLayout(root);
  if (existsSync(config) && !force) {
    throw new Failure('refused', `${config} is there already.`, {
      hint: 'Look at it with: coppice config show. Replace it with: coppice config init --force',
    });
  }
  writeFileAtomic(config, text);
  return config;
}
