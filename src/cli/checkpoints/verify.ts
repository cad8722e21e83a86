import { verdictDocument } from '../../app/documents/checkpoint-document.ts';
import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { plural } from '../print/format.ts';
import { forSamePlace } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { startProgress } from '../print/progress.ts';
import { safeText } from '../print/safe-text.ts';
import { withAppToLook } from '../with-app.ts';

/** `coppice checkpoints verify`. Exit 12 when a checkpoint is damaged or incomplete. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withAppToLook(input, async (home) => {
    const verdict = await verify();
    const { checkpoints, problems } = verdict;
    if (global.json) writeJson(io.out, verdictDocument(verdict));
    else {
      for (const { message, hint } of problems) {
        io.out.write(`${io.out.colour.red(safeText(message))}\n`);
        if (hint !== undefined) io.out.write(`  ${safeText(forSamePlace(global, hint))}\n`);
      }
      io.out.write(`${problems.length === 0 ? wellSentence(checkpoints) : plural(problems.length, 'problem')}\n`);
    }
    return problems.length === 0 ? 0 : FAILURES.integrity.exit;

    async function verify() {
      using progress = startProgress(io, { label: 'Reading every part of every checkpoint' });
      return await home.checkpoints.verify({
        signal: io.signal,
        onProgress: (done, total) => progress.update({ done, total }),
      });
    }
  });
}

function wellSentence(checkpoints: number): string {
  if (checkpoints === 0) return 'There are no checkpoints, and nothing is wrong.';
  return `${plural(checkpoints, 'checkpoint')}: all complete, and exactly what was saved.`;
}
