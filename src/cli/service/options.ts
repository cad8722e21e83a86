import type { ServeOptions } from '../gateway/options.ts';

export interface ServiceOptions {
  readonly name?: string;
  readonly system?: boolean;
}

export interface InstallOptions extends ServiceOptions, ServeOptions {
  readonly dryRun?: boolean;
  readonly force?: boolean;
}
