import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Disk, type DiskLog, diskAfter, type Inode, type PowerCut, powerCuts } from './disk-log.ts';
import { DiskRecorder, type RecorderOptions } from './disk-recorder.ts';
import { openEngineHome } from './engine-home.ts';
import { clockOf, copyScene } from './engine-scene.ts';
import type { Stage } from './engine-stage.ts';
import { recoverAndCheck } from './recover-and-check.ts';

/** A state of the disk that a power cut may leave: the moment, and what was lost of all that could be. */
export interface CutState {
  readonly cut: PowerCut;
  readonly lost: readonly number[];
}

/** Carries out the act of a scenario and writes down what it does to the disk. */
export async function recordAct({ scenario, start, directory }: Stage, options?: RecorderOptions): Promise<DiskLog> {
  const scene = mkdtempSync(join(directory, 'recorded-'));
  const path = copyScene(start, scene);
  await using at = await openEngineHome(path, { clock: clockOf(scenario) });
  const plan = await scenario.plan?.(at);
  using recorder = new DiskRecorder(path, options);
  return await recorder.record(() => scenario.act(at, plan));
}

/**
 * The states that power cuts of an act may leave, each once. At every moment: nothing lost, all lost, each change lost alone and
 * each one kept alone, and so many more combinations at random as `more` says, or every combination there is if that is fewer.
 */
export function cutStates(log: DiskLog, more: number, random: () => number): readonly CutState[] {
  const states: CutState[] = [];
  const seen = new Set<string>();
  let commits = 0;
  for (const cut of powerCuts(log)) {
    const { after, loose } = cut;
    if (log.events[after - 1]?.kind === 'commit') commits += 1;
    for (const lost of losses(loose, more, random)) {
      // What is there depends on the changes that were kept and on the database, not on how many syncs came in between.
      const kept = log.events.slice(0, after).flatMap((event, at) => (isChange(event) && !lost.includes(at) ? at : []));
      const key = `${commits} ${kept.join()}`;
      if (seen.has(key)) continue;
      seen.add(key);
      states.push({ cut, lost });
    }
  }
  return states;
}

const isChange = ({ kind }: DiskLog['events'][number]) => kind === 'names' || kind === 'content';

function losses(loose: readonly number[], more: number, random: () => number): readonly (readonly number[])[] {
  const all = 2 ** loose.length;
  if (all <= more) return Array.from({ length: all }, (_, bits) => loose.filter((_each, at) => (bits >> at) & 1));
  return [
    [],
    loose,
    ...loose.map((one) => [one]),
    ...loose.map((one) => loose.filter((each) => each !== one)),
    ...Array.from({ length: more }, () => loose.filter(() => random() < 0.5)),
  ];
}

/** Brings a disk back as a power cut left it, recovers, and names what is then wrong, with what had been lost. */
export async function recoverFromCut(stage: Stage, log: DiskLog, { cut, lost }: CutState): Promise<string[]> {
  const scene = mkdtempSync(join(stage.directory, 'cut-'));
  try {
    const { disk, database } = diskAfter(log, cut, new Set(lost));
    const path = join(scene, 'home');
    writeFolder(disk, disk.root, path);
    writeFileSync(join(path, 'state.db'), database, { mode: 0o600 });
    cpSync(join(stage.start, 'outside'), join(scene, 'outside'), { recursive: true });
    const { baseline, allowed: plans, scenario } = stage;
    const expected = { baseline, plans, clock: clockOf(scenario), onlyDeaths: true };
    const wrong = await recoverAndCheck(scene, expected, stage.sound).catch((error: unknown) => [String(error)]);
    if (wrong.length === 0) return [];
    const what = (index: number) => log.events[index]?.what;
    return [...wrong, ...lost.map((index) => `lost: ${what(index)}`), `cut after: ${what(cut.after - 1)}`];
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }
}

export function writeFolder(disk: Disk, inode: Inode, path: string): void {
  const content = disk.contents.get(inode);
  if (disk.folders.has(inode)) {
    mkdirSync(path, { mode: content?.mode ?? 0o700 });
    for (const [name, child] of disk.folders.get(inode) ?? []) writeFolder(disk, child, join(path, name));
  } else {
    writeFileSync(path, content?.bytes ?? '', { mode: content?.mode ?? 0o600 });
  }
  if (content === undefined) return;
  // Fractions of seconds are cut off somewhere below a microsecond, so the middle of it is aimed at.
  const seconds = (content.modifiedAtUs + 0.4) / 1e6;
  utimesSync(path, seconds, seconds);
}
