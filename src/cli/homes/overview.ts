import { homePath } from '../../app/home-path.ts';
import { homeAt, type KnownHome, knownHomes } from '../../app/machine/known-homes.ts';
import { type HomeLine, machineDocument, machineOverview } from '../../app/machine/machine-overview.ts';
import { FAILURES, Failure } from '../../core/failure.ts';
import { type CommandInput, placeOf } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../print/json-output.ts';
import { failureOf } from '../print-failure.ts';
import { withScanProgress } from '../retention/with-scan-progress.ts';
import { openFor } from '../with-home.ts';
import { inHome } from './in-home.ts';
import { printOverview } from './print-overview.ts';

/** `coppice` alone: what the agents of this machine keep, in one screen, and the next step. */
export async function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  if (global.remote !== undefined) {
    throw new Failure('usage', 'A daemon serves one home, so it does not know the others of its machine.', {
      hint: 'See that home with: coppice status',
    });
  }
  const { homes, problems } = await knownHomes(io.env);
  const place = placeOf(global);
  const shown =
    place === undefined
      ? homes.filter((home) => !home.ignored && home.empty !== true)
      : [await homeAt(homePath(place, io.env), homes)];
  const lines: HomeLine[] = [];
  for (const known of shown) lines.push(await lineOf(input, known));
  const ignored = homes.filter((home) => home.ignored && !shown.includes(home));
  const overview = machineOverview(lines, { ignored, problems });
  if (global.json) writeJson(io.out, machineDocument(overview));
  else printOverview(input, overview);
  return lines.some((line) => 'failure' in line) ? FAILURES.partial.exit : 0;
}

async function lineOf(input: CommandInput<NoOptions>, known: KnownHome): Promise<HomeLine> {
  const there = inHome(input, known);
  try {
    await using home = await openFor(there, { create: false, reading: 'rules' });
    return {
      known,
      overview: await withScanProgress(input.io, async (options) => (await home.outlook()).overview(options)),
    };
  } catch (error) {
    if (input.io.signal.aborted && !(error instanceof Failure)) throw error;
    return { known, failure: failureOf(error) };
  }
}
