import { existsSync, lstatSync, readFileSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { shellWord } from '../../core/shell-word.ts';
import { makePrivateDir, writeFileAtomic } from '../../platform/files/private-files.ts';
import { readSeal } from './seal.ts';
import type { ServicePlace } from './service-place.ts';

/** `foreign`: somebody else wrote it. */
export type ServiceFileState = 'absent' | 'as-written' | 'edited' | 'foreign';

export function serviceFileState(file: string): ServiceFileState {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return 'absent';
  if (!stat.isFile()) return 'foreign';
  const seal = readSeal(readFileSync(file, 'utf8'));
  return seal === 'intact' ? 'as-written' : seal === 'edited' ? 'edited' : 'foreign';
}

/** Whether the service manager was told to start it by itself. A link counts, wherever it leads. */
export function isEnabled({ enabledFile }: ServicePlace): boolean {
  return enabledFile !== undefined && lstatSync(enabledFile, { throwIfNoEntry: false }) !== undefined;
}

/** Writes the file, where nothing is there that a person wrote or changed. */
export function writeServiceFile(file: string, text: string): 'written' | 'replaced' | 'unchanged' {
  const state = serviceFileState(file);
  if (state === 'edited' || state === 'foreign') throw notOurs(file, state);
  if (state === 'as-written' && readFileSync(file, 'utf8') === text) return 'unchanged';
  if (!existsSync(dirname(file))) makePrivateDir(dirname(file));
  writeFileAtomic(file, text, { mode: 0o644 });
  return state === 'absent' ? 'written' : 'replaced';
}

/** Removes what `writeServiceFile` wrote, and nothing that was changed since. False when there was none. */
export function removeServiceFile(place: ServicePlace): boolean {
  const { file, commands } = place;
  const state = serviceFileState(file);
  if (state === 'edited' || state === 'foreign') throw notOurs(file, state);
  if (isEnabled(place)) {
    throw new Failure('refused', 'The service is still started by itself, so its file stays.', {
      hint: `Stop it first: ${commands.stop}`,
    });
  }
  if (state === 'absent') return false;
  unlinkSync(file);
  return true;
}

function notOurs(file: string, state: 'edited' | 'foreign'): Failure {
  const what = state === 'edited' ? 'was changed since Coppice wrote it' : 'was not written by Coppice';
  return new Failure('refused', `${file} ${what}, so it stays as it is.`, {
    hint: `If nobody needs it: rm ${shellWord(file)}`,
  });
}
