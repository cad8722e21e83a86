import { listTokens } from '../../app/access/token-files.ts';
import type { TokenRecord } from '../../app/access/token-record.ts';
import { tokenDocument } from '../../app/documents/access-document.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatTime } from '../print/format.ts';
import { forSamePlace } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { renderTable } from '../print/table.ts';
import { withHome } from '../with-home.ts';

/** `coppice token list` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withHome(
    input,
    async (home) => {
      const { tokens, unreadable } = listTokens(home.path);
      const now = io.clock.now();
      if (global.json) {
        writeJson(io.out, { tokens: tokens.map((token) => tokenDocument(token, now)), unreadable });
        return 0;
      }
      if (tokens.length === 0) io.out.write(forSamePlace(global, NO_TOKENS));
      else {
        const columns = ['NAME', 'SCOPES', 'MADE', 'GOOD UNTIL'].map((title) => ({ title, shrink: title === 'NAME' }));
        const rows = tokens.map((token) => row(token, now));
        io.out.write(renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour }));
      }
      for (const path of unreadable) io.err.write(`${safeText(path)} holds no token. Nobody gets in with it.\n`);
      return 0;
    },
    { reading: 'records' },
  );
}

const NO_TOKENS =
  'No tokens were given out. The owner of the home has one of their own, which coppice serve makes.\nMake one with: coppice token create NAME --scope read\n';

function row({ name, scopes, createdAt, expiresAt }: TokenRecord, now: number): string[] {
  const until = expiresAt === undefined ? 'it is revoked' : formatTime(expiresAt);
  const expired = expiresAt !== undefined && expiresAt <= now;
  return [name, scopes.join(', '), formatAge(createdAt, now), expired ? `${until} (expired)` : until];
}
