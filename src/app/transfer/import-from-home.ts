import { resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { Clock } from '../../core/time.ts';
import { AGENTS, KINDS } from '../../homes/kinds.ts';
import { readForeign } from '../find-home.ts';
import { importHome } from './import-home.ts';
import type { ImportOutcome } from './import-outcome.ts';
import type { ImportInto } from './import-target.ts';

export interface HomeImportOptions {
  /** Only sessions of this source. */
  readonly source?: string;
  readonly signal?: AbortSignal;
}

/** Finds out whether there is a home of another agent, and brings in its sessions. */
export async function* importFromHome(
  { store, clock }: { readonly store: ImportInto; readonly clock: Clock },
  home: string,
  options: HomeImportOptions = {},
): AsyncGenerator<ImportOutcome> {
  const path = resolve(home);
  const found = await readForeign(path, clock);
  if ('why' in found) throw notReadable(path, found.why);
  yield* importHome(store, { from: found.reader, path, ...options });
}

function notReadable(path: string, why: string | undefined): Failure {
  const message =
    why === undefined ? `${path} is not a ${AGENTS} home.` : `${path} cannot be read as a ${AGENTS} home. ${why}`;
  const places = KINDS.map(({ place }) => place).join(' or ');
  return new Failure('not-found', message, {
    hint: `Nothing was imported. Give the folder in which the agent keeps its sessions, such as ${places}`,
  });
}
