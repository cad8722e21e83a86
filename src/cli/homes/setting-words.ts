import type { OwnDeletions } from '../../app/machine/own-deletions.ts';

/** What an agent is set to, and where. */
export function settingWords({ setting, from }: Pick<OwnDeletions, 'setting' | 'from'>): string {
  return from === undefined ? `${setting}, its default` : `${setting}, in ${from}`;
}
