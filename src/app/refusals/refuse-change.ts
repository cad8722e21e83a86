import { Failure } from '../../core/failure.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseBadConfig } from './refuse-bad-config.ts';

/** Stops whatever changes a home that was opened only to look at it. */
export function refuseChange(parts: Pick<HomeParts, 'configIssues' | 'onlyRead' | 'layout'>): void {
  refuseBadConfig(parts);
  if (parts.onlyRead !== true) return;
  throw new Failure('refused', `Nothing can be written in ${parts.layout.root}: it can only be read here.`, {
    hint: 'Nothing was changed. Check who owns it and how its disk is mounted.',
  });
}
