import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import { errorText } from '../../core/error-text.ts';
import { readTextIfThere } from '../../platform/text/read-text-if-there.ts';
import { readGuest } from '../../platform/sqlite/guest-database.ts';
import { DATABASES, fileOf, type KnownDatabase } from './rows/known-tables.ts';
import { unknownPart } from './rows/unknown-part.ts';
import { LOCKS } from './writer-locks.ts';

/** Why a home of Codex is only shown: what it keeps of threads in databases is not known in full. Empty where it may be changed. */
export async function reasonsToOnlyShow(home: string): Promise<readonly Problem[]> {
  const names = readdirSync(home);
  const elsewhere = databasesElsewhere(home, names);
  if (elsewhere !== undefined) return [elsewhere];
  const found: Problem[] = [];
  for (const name of names) {
    const [, of = '', number = ''] = DATABASE.exec(name) ?? [];
    const known = DATABASES.find((each) => each.name === of);
    if (of === '' || (known !== undefined && Number(number) < known.number)) continue;
    const why =
      known === undefined || Number(number) > known.number ? 'is not known here' : await unknownIn(home, known);
    if (why !== undefined) found.push(notKnown(name, why));
  }
  return found;
}

/** As Codex names its databases. It raises the number when it begins anew, and what it had before stays behind. */
const DATABASE = /^([a-z][a-z_]*)_(\d+)\.sqlite$/;

async function unknownIn(home: string, known: KnownDatabase): Promise<string | undefined> {
  try {
    const part = await readGuest(join(home, fileOf(known)), async ({ db }) => unknownPart(db, known));
    return part && `holds what is not known here: ${part}`;
  } catch (error) {
    return `cannot be read: ${errorText(error).replace(/\.$/, '')}`;
  }
}

function notKnown(name: string, why: string): Problem {
  return {
    kind: 'unknown-version',
    subject: name,
    message: `${name} ${why}.`,
    hint: 'Remove threads with Codex itself: codex delete ID',
  };
}

/** Its user can have the databases in another folder, where what belongs to this home is not looked for. */
function databasesElsewhere(home: string, names: readonly string[]): Problem | undefined {
  const isSet = /^\s*["']?sqlite_home["']?\s*=/m.test(readTextIfThere(join(home, 'config.toml')));
  const isMissing = names.includes(LOCKS) && !names.some((name) => /^state_\d+\.sqlite$/.test(name));
  if (!isSet && !isMissing) return undefined;
  return {
    kind: 'databases-elsewhere',
    subject: isSet ? 'config.toml' : LOCKS,
    message:
      'The databases of this home are in another folder (sqlite_home), or gone, so what threads have there is not known.',
    hint: 'Remove threads with Codex itself: codex delete ID',
  };
}
