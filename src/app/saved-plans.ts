import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../core/failure.ts';
import type { Plan } from '../core/plan.ts';
import { DAY_MS, type EpochMs } from '../core/time.ts';
import { nativeLayout } from '../homes/native/native-layout.ts';
import { makePrivateDir, writeFileAtomic } from '../platform/private-files.ts';
import { planDocument } from './documents/plan-document.ts';
import { readPlanDocument } from './documents/read-plan-document.ts';

/** Plans are of no use after a day: nothing applies them any more. */
const KEPT_MS = DAY_MS;
const ID = /^[0-9a-f]{16}$/;

/** Whether a text is the id of a plan rather than the name of a file. */
export function isPlanId(text: string): boolean {
  return ID.test(text);
}

/** Keeps a plan in its home under its id, which is returned, and removes those that are too old to apply. */
export function savePlan(homePath: string, plan: Plan, now: EpochMs): string {
  const { plans } = nativeLayout(homePath);
  makePrivateDir(plans);
  removeOld(plans, now);
  const document = planDocument(plan);
  writeFileAtomic(join(plans, `${document.id}.json`), planText(document));
  return document.id;
}

/** Decisions in one piece of text. */
const PIECE = 100;

/** The text of a plan's file, in pieces because it may be long, whether it is saved in the home or elsewhere. */
export function* planText({ decisions, ...rest }: ReturnType<typeof planDocument>): Generator<string> {
  yield `${JSON.stringify({ schemaVersion: 1, ...rest }).slice(0, -1)},"decisions":[`;
  for (let from = 0; from < decisions.length; from += PIECE) {
    const piece = JSON.stringify(decisions.slice(from, from + PIECE)).slice(1, -1);
    yield from === 0 ? piece : `,${piece}`;
  }
  yield ']}\n';
}

/** The plan that was saved under this id. */
export function loadPlan(homePath: string, id: string): Plan {
  const file = fileOf(homePath, id);
  if (!ID.test(id) || !existsSync(file)) {
    throw new Failure('not-found', `There is no saved plan ${id}.`, {
      hint: 'Plans are kept for a day, until they are applied. Make a new one with: coppice plan',
    });
  }
  return readPlanDocument(readFileSync(file, 'utf8'), file);
}

/** The plan in a file. */
export function readPlanFile(file: string): Plan {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new Failure('not-found', `There is no plan ${file}.`, {
      hint: 'Give the id that coppice plan printed, or the file that it wrote.',
    });
  }
  return readPlanDocument(readFileSync(file, 'utf8'), file);
}

/** Forgets a saved plan, once it is carried out. */
export function dropPlan(homePath: string, id: string): void {
  rmSync(fileOf(homePath, id), { force: true });
}

function fileOf(homePath: string, id: string): string {
  return join(nativeLayout(homePath).plans, `${id}.json`);
}

/** Looks at files that carry the name of a plan only. */
function removeOld(plans: string, now: EpochMs): void {
  for (const name of readdirSync(plans)) {
    if (!ID.test(name.replace(/\.json$/, ''))) continue;
    const file = join(plans, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile() === true && now - found.mtimeMs > KEPT_MS) rmSync(file, { force: true });
  }
}
