import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../../core/retention/plan.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { makePrivateDir, writeFileAtomic } from '../../platform/files/private-files.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { planDocument } from '../documents/plan-document.ts';

/** Plans are of no use after a day: nothing applies them any more. */
const KEPT_MS = DAY_MS;
/** A plan names everything that it keeps, so that of a large home takes some megabytes. */
const MOST_PLANS = 50;
const MOST_BYTES = 64 * 1024 * 1024;
const ID = /^[0-9a-f]{16}$/;

/** Whether a text is the id of a plan rather than the name of a file. */
export function isPlanId(text: string): boolean {
  return ID.test(text);
}

/** Keeps a plan in its home under its id, which is returned, and removes older ones that are of no use or too many. */
export function savePlan(homePath: string, plan: Plan, now: EpochMs): string {
  makePrivateDir(homePath);
  using plans = openBelow(homePath, nativeLayout(homePath).plans, { create: true });
  const document = planDocument(plan);
  const file = plans.at(`${document.id}.json`);
  writeFileAtomic(file, planText(document));
  // Its age is counted by the same clock as that of everything else.
  utimesSync(file, now / 1000, now / 1000);
  trimPlans(homePath, now);
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

/** Forgets a saved plan, once it is carried out. */
export function dropPlan(homePath: string, id: string): void {
  removeBelow(homePath, [savedPlanFile(homePath, id)]);
}

/** Where the plan with this id is kept. */
export function savedPlanFile(homePath: string, id: string): string {
  return join(nativeLayout(homePath).plans, `${id}.json`);
}

/** Forgets plans that say anything about one of these items. */
export function dropPlansNaming(homePath: string, ids: readonly string[]): void {
  using plans = openPlans(homePath);
  const names = ids.map((id) => JSON.stringify(id));
  for (const { file } of savedPlans(plans)) {
    const text = readRegular(file).toString();
    if (names.some((name) => text.includes(name))) rmSync(file, { force: true });
  }
}

/** Removes plans that nobody can apply any more, and the oldest where there are too many or they take too much. */
export function trimPlans(homePath: string, now: EpochMs): void {
  using plans = openPlans(homePath);
  let count = 0;
  let sizeBytes = 0;
  for (const plan of savedPlans(plans)) {
    count += 1;
    sizeBytes += plan.sizeBytes;
    // The newest was made for somebody to apply, however large it is.
    const isTooMuch = count > 1 && (count > MOST_PLANS || sizeBytes > MOST_BYTES);
    if (isTooMuch || now - plan.savedAt > KEPT_MS) rmSync(plan.file, { force: true });
  }
}

interface SavedPlan {
  readonly file: string;
  readonly savedAt: EpochMs;
  readonly sizeBytes: number;
}

/** Undefined where there are none, or a link in their place: what is behind it is somebody's. */
function openPlans(homePath: string): DirectoryHandle | undefined {
  let plans: DirectoryHandle | undefined;
  ifPossible(() => {
    plans = openBelow(homePath, nativeLayout(homePath).plans);
  });
  return plans;
}

/** The newest first. Looks at files that carry the name of a plan only. */
function savedPlans(plans: DirectoryHandle | undefined): SavedPlan[] {
  if (plans === undefined) return [];
  const found = plans.names().flatMap((name): SavedPlan[] => {
    if (!/^[0-9a-f]{16}\.json$/.test(name)) return [];
    const stat = plans.look(name);
    return stat?.isFile() === true ? [{ file: plans.at(name), savedAt: stat.mtimeMs, sizeBytes: stat.size }] : [];
  });
  return found.toSorted((a, b) => b.savedAt - a.savedAt);
}
