import { isRemark } from '../../src/cli/doctor.ts';
import { isRemoval } from '../../src/core/retention/plan.ts';
import type { Machine } from './machine.ts';
import { type Complain, isWhole } from './oracle.ts';
import { diskUsage, readRaw, transcriptDigest } from './raw-home.ts';

/** Asks the program how the home is, and compares what it says with what is there. */
export async function askProgram(machine: Machine, complain: Complain): Promise<void> {
  await askDoctor(machine, complain);
  await compareFigures(machine, complain);
}

async function askDoctor(machine: Machine, complain: Complain): Promise<void> {
  const home = await machine.home();
  for await (const { name, problems } of home.check())
    for (const problem of problems) if (!isRemark(problem)) complain('doctor', `${name}: ${problem.message}`);
}

/** Every figure of `status` that can be counted otherwise. */
async function compareFigures(machine: Machine, complain: Complain): Promise<void> {
  const home = await machine.home();
  const status = await home.status();
  const used = diskUsage(machine.path);
  const said = status.disk.usedBytes;
  if (Math.abs(said - used) > used * 0.02) complain('figures', `status says ${said} bytes, du says ${used}`);
  const counts = readRaw(machine.path, ({ live, trashRuns }) => ({ sessions: live.size, trash: trashRuns.size }));
  for (const { name, items } of status.classes) {
    const counted = name === 'sessions' || name === 'trash' ? counts[name] : items;
    if (items !== counted) complain('figures', `status counts ${items} ${name}, and there are ${counted}`);
  }
}

/** Takes one of the runs back that can still be undone, compares every byte, and does it once more. */
export async function undoAndRedo(machine: Machine, complain: Complain): Promise<void> {
  const home = await machine.home();
  const trashed = readRaw(machine.path, (raw) => [...raw.trashed]);
  const runs = [
    ...new Set(trashed.filter(([, { expiresAt }]) => expiresAt > machine.now).map(([, { runId }]) => runId)),
  ];
  if (runs.length === 0) return;
  const runId = machine.pick(runs);
  const known = trashed.filter(([id, each]) => each.runId === runId && machine.sessions.has(id)).map(([id]) => id);
  await home.undo(runId);
  readRaw(machine.path, (raw) => {
    for (const id of known) {
      const session = machine.sessions.get(id);
      const row = raw.live.get(id);
      if (session === undefined || row === undefined) complain('undo', `${id} did not come back`);
      else if (!isWhole(session, row.key, raw)) complain('undo', `${id} came back with other messages`);
      else if (session.transcript !== undefined && transcriptDigest(machine.path, id) !== session.transcript)
        complain('undo', `${id} came back with another transcript`);
    }
  });
  if (known.length === 0) return;
  const plan = await home.plan({ kind: 'delete', ids: known });
  if (plan.decisions.some(isRemoval)) await home.apply(plan);
}
