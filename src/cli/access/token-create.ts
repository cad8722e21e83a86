import { noteCommand } from '../../app/access/note-command.ts';
import { createToken, revokeToken } from '../../app/access/token-files.ts';
import type { TokenRecord } from '../../app/access/token-record.ts';
import { tokenDocument } from '../../app/documents/access-document.ts';
import type { Home } from '../../app/home.ts';
import { refuseForeign } from '../../app/refusals/refuse-foreign.ts';
import { SCOPE_WORDS } from '../../core/access.ts';
import { isoTime } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import { formatTime } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { withHome } from '../with-home.ts';
import type { TokenCreateOptions } from './options.ts';

/** `coppice token create NAME --scope read,append [--expires 30d]` */
export function run(input: CommandInput<TokenCreateOptions>): Promise<number> {
  const { args, options, io, global } = input;
  const name = args[0] ?? '';
  return withHome(input, async (home) => {
    refuseForeign(home);
    const { scope: scopes, expires: expiresAt } = options;
    const now = io.clock.now();
    const { token, record } = createToken(home.path, {
      name,
      scopes,
      now,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    putOnRecord(home, record);
    if (global.json) {
      writeJson(io.out, { ...tokenDocument(record, now), token });
      return 0;
    }
    // The token alone goes to standard output, so that it can be put where it belongs without being seen.
    io.out.write(`${token}\n`);
    const until = expiresAt === undefined ? 'until it is revoked' : `until ${formatTime(expiresAt)}`;
    io.err.write(`
This is the token ${name}. It is shown this once: only a hash of it is kept.
It may, ${until}:
${scopes.map((scope) => `  ${scope.padEnd(6)}  ${SCOPE_WORDS[scope]}`).join('\n')}
Use it with COPPICE_TOKEN, or as Authorization: Bearer TOKEN.
Take it back with: ${hintCommand(global, 'token', 'revoke', name)}
`);
    return 0;
  });
}

/** Nobody gets a token that is not on record. */
function putOnRecord({ path, audit }: Home, { name, scopes, createdAt, expiresAt }: TokenRecord): void {
  const until = expiresAt === undefined ? '' : ` until ${isoTime(expiresAt)}`;
  try {
    noteCommand(audit, { what: 'token create', subject: name, detail: `${scopes.join(', ')}${until}`, at: createdAt });
  } catch (error) {
    revokeToken(path, name);
    throw error;
  }
}
