import { existsSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { writeFileAtomic } from '../../platform/files/private-files.ts';
import { prepareHome } from '../home-path.ts';

export interface InitialConfig {
  readonly file: string;
  /** It was there before the home was, by hand or from a first start that died, and stays as it is. */
  readonly kept: boolean;
}

/** Writes a first config.yaml into a home, making the home when needed. */
export function initConfig(root: string, { text, force }: { text: string; force: boolean }): InitialConfig {
  prepareHome(root, { create: true });
  const { config, database } = nativeLayout(root);
  if (existsSync(config) && !force) {
    if (!existsSync(database)) return { file: config, kept: true };
    throw new Failure('refused', `${config} is there already.`, {
      hint: 'Look at it with: coppice config show. Replace it with: coppice config init --force',
    });
  }
  writeFileAtomic(config, text);
  return { file: config, kept: false };
}
