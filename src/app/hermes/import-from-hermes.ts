import { resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { Clock } from '../../core/time.ts';
import { detectHermes } from '../../homes/hermes/detect-hermes.ts';
import { createHermesSessionReader } from '../../homes/hermes/sessions/hermes-session-reader.ts';
import type { ImportOutcome } from '../transfer/import-outcome.ts';
import type { ImportInto } from '../transfer/import-target.ts';
import { importHermes } from './import-hermes.ts';

export interface HermesImportOptions {
  /** Only sessions of this source. */
  readonly source?: string;
  readonly signal?: AbortSignal;
}

/** Finds out whether there is a Hermes home, and brings in its sessions. */
export async function* importFromHermes(
  { store, clock }: { readonly store: ImportInto; readonly clock: Clock },
  hermesHome: string,
  options: HermesImportOptions = {},
): AsyncGenerator<ImportOutcome> {
  const path = resolve(hermesHome);
  const detection = await detectHermes(path);
  if (detection?.shape === undefined) throw notHermes(path, detection?.reasons[0]?.message);
  const from = createHermesSessionReader({ home: path, clock });
  yield* importHermes(store, { from, path, ...options });
}

function notHermes(path: string, why: string | undefined): Failure {
  const message =
    why === undefined ? `${path} is not a Hermes home.` : `${path} cannot be read as a Hermes home. ${why}`;
  return new Failure('not-found', message, {
    hint: 'Nothing was imported. Give the folder that holds the state.db of Hermes, such as ~/.hermes',
  });
}
