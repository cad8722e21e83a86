import type { App } from '../../app/app.ts';
import type { CheckpointStatus, ProjectStatus } from '../../app/checkpoints/checkpoint-status.ts';
import { checkpointStatusDocument } from '../../app/documents/status-document.ts';
import type { WorkdirPlace } from '../../core/retention/checkpoint.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatBytes, formatCount, formatTime, plural } from '../print/format.ts';
import { forSamePlace, hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { shortfallSentence } from '../../core/retention/shortfall-sentence.ts';
import { safeText } from '../print/safe-text.ts';
import { type Column, renderTable } from '../print/table.ts';
import { withAppToLook } from '../with-app.ts';

const NONE = 'There are no checkpoints yet. Take the first with: coppice checkpoints take';

/** Problems shown; `--json` has all of them. */
const SHOWN = 5;

/** `coppice checkpoints status` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withAppToLook(input, async (home) => {
    const status = await home.checkpoints.status();
    if (global.json) writeJson(io.out, checkpointStatusDocument(status));
    else print(input, status, home);
    return 0;
  });
}

function print({ io, global }: CommandInput<NoOptions>, status: CheckpointStatus, home: App): void {
  const { out } = io;
  const { colour } = out;
  const { projects, problems, legacy, reclaimable } = status;
  const none =
    home.foreign === undefined ? forSamePlace(global, NONE) : `${home.foreign.agent} has no checkpoints here.`;
  if (projects.length > 0) {
    const rows = projects.map((project) => rowOf(project, io.clock.now()));
    out.write(`${renderTable({ columns: COLUMNS, rows, width: out.columns, colour })}\n`);
  }
  out.write(`${colour.bold(projects.length === 0 ? none : totalSentence(status))}\n`);
  if (projects.length > 0) out.write(`${limitSentence(status)}\n`);
  for (const line of unreachableLines(status, global)) out.write(`${line}\n`);
  if (status.garbageBytes > 0) out.write(`${garbageSentence(status, global)}\n`);
  if (status.indexBytes > 0) {
    out.write(
      `A cache of ${formatBytes(status.indexBytes)} in it makes the next ones quick. It goes first where room is short.\n`,
    );
  }
  if (status.trash.items > 0) {
    const runs = plural(status.trash.items, 'run');
    out.write(`In the trash: checkpoints of ${runs} (${formatBytes(status.trash.sizeBytes)}).\n`);
  }
  for (const shortfall of status.shortfalls) out.write(`${colour.red(safeText(shortfallSentence(shortfall)))}\n`);
  if (legacy.items > 0) {
    out.write(
      `Checkpoints in a layout of before take ${formatBytes(legacy.sizeBytes)}. Remove them with: ${hintCommand(global, 'checkpoints', 'clear-legacy')}\n`,
    );
  }
  for (const { message, hint } of problems.slice(0, SHOWN)) {
    out.write(`${colour.yellow('Problem:')} ${safeText(message)}\n`);
    if (hint !== undefined) out.write(`  ${safeText(forSamePlace(global, hint))}\n`);
  }
  if (problems.length > SHOWN) out.write(`  … and ${formatCount(problems.length - SHOWN)} more\n`);
  if (problems.length === 0) out.write('No problems.\n');
  if (reclaimable.items > 0) {
    const look = hintCommand(global, 'checkpoints', 'prune', '--dry-run');
    out.write(`${plural(reclaimable.items, 'checkpoint')} can go. See which and why with: ${look}\n`);
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'FOLDER', shrink: true, minWidth: 20 },
  { title: 'CHECKPOINTS', align: 'right' },
  { title: 'PINNED', align: 'right' },
  { title: 'OWN SIZE', align: 'right' },
  { title: 'LAST' },
  { title: 'IS' },
];

const PLACE_WORDS: Record<WorkdirPlace, string> = { present: 'there', gone: 'gone', unreachable: 'out of reach' };

function rowOf({ workdir, checkpoints, pinned, ownBytes, lastTakenAt, place }: ProjectStatus, now: number): string[] {
  return [
    workdir,
    formatCount(checkpoints),
    formatCount(pinned),
    formatBytes(ownBytes),
    formatAge(lastTakenAt, now),
    PLACE_WORDS[place],
  ];
}

function totalSentence(status: CheckpointStatus): string {
  const { projects, checkpoints, sizeBytes, sharedBytes, limits } = status;
  const cap = limits.maxBytes === undefined ? '' : ` of ${formatBytes(limits.maxBytes)}`;
  const what = `${plural(checkpoints, 'checkpoint')} of ${plural(projects.length, 'folder')}`;
  return `${what} take ${formatBytes(sizeBytes)}${cap} on disk; ${formatBytes(sharedBytes)} is shared between folders.`;
}

function garbageSentence({ garbageBytes, garbageUntil }: CheckpointStatus, global: GlobalOptions): string {
  const when = garbageUntil === undefined ? '' : ` It goes with the next pass, due ${formatTime(garbageUntil)}.`;
  const now = hintCommand(global, 'checkpoints', 'prune');
  return `${formatBytes(garbageBytes)} of that is needed by nothing any more.${when} At once: ${now}`;
}

function limitSentence({ limits, projects }: CheckpointStatus): string {
  const gone = projects.filter(({ place }) => place === 'gone').length;
  const count = limits.maxSnapshots === undefined ? 'any number' : `about ${formatCount(limits.maxSnapshots)}`;
  const are = gone === 1 ? 'is' : 'are';
  const orphans =
    gone === 0
      ? ''
      : ` ${plural(gone, 'folder')} ${are} no longer there: prune removes what is left, once it is old enough.`;
  return `Each folder keeps ${count} of them.${orphans}`;
}

/** Its volume may be away, so only a person can tell. */
function unreachableLines({ projects }: CheckpointStatus, global: GlobalOptions): string[] {
  const away = projects.filter(({ place }) => place === 'unreachable').length;
  if (away === 0) return [];
  const say = hintCommand(global, 'checkpoints', 'prune', '--unreachable');
  return [`${plural(away, 'folder')} cannot be found. Connect the volume, or say that all such are gone: ${say}`];
}
