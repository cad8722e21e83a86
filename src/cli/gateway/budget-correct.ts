import { userInfo } from 'node:os';
import { correctionDocument } from '../../app/documents/gateway-document.ts';
import { Failure } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import { formatTokens, formatUsd } from '../print/format.ts';
import { writeJson } from '../print/json-output.ts';
import { withApp } from '../with-app.ts';
import type { CorrectOptions } from './options.ts';

/** `coppice budget correct SESSION --tokens N --reason TEXT` */
export function run(input: CommandInput<CorrectOptions>): Promise<number> {
  const { args, options, io, global } = input;
  const { tokens = 0, usd = 0, reason, day, model } = options;
  if (tokens + usd <= 0) {
    throw new Failure('usage', 'Say how much was reported falsely.', {
      hint: 'Add --tokens N, --usd AMOUNT or both. What was counted: coppice budget --by session',
    });
  }
  return withApp(input, async (home) => {
    const { id } = await home.sessions.find(args[0] ?? '');
    const nanoUsd = Math.round(usd * 1e9);
    const by = userInfo().username;
    const corrections = await home.gateway.correct({ sessionId: id, tokens, nanoUsd, by, reason, day, model });
    if (global.json) writeJson(io.out, { corrections: corrections.map(correctionDocument) });
    else
      io.out.write(
        `Taken back from session ${id}: ${formatTokens(tokens)} tokens, ${formatUsd(usd)}. It is on record.\n`,
      );
    return 0;
  });
}
