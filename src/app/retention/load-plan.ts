import { existsSync, statSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import type { Plan } from '../../core/retention/plan.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { readPlanDocument } from '../documents/read-plan-document.ts';
import { isPlanId, savedPlanFile } from './saved-plans.ts';

// Apart from what saves plans: most commands save or drop one, and only few read one, which takes a library of schemas.

/** The plan that was saved under this id. */
export function loadPlan(homePath: string, id: string): Plan {
  const file = savedPlanFile(homePath, id);
  if (!isPlanId(id) || !existsSync(file)) {
    throw new Failure('not-found', `There is no saved plan ${id}.`, {
      hint: 'Plans are kept for a day, until they are applied. Make a new one with: coppice plan',
    });
  }
  return readPlanDocument(readRegular(file).toString(), file);
}

/** The plan in a file. */
export function readPlanFile(file: string): Plan {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new Failure('not-found', `There is no plan ${file}.`, {
      hint: 'Give the id that coppice plan printed, or the file that it wrote.',
    });
  }
  return readPlanDocument(readRegular(file).toString(), file);
}
