import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { shellWord } from '../../core/shell-word.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';

const GROUP = { enters: 0o010, writes: 0o020 };
const EVERYBODY = { enters: 0o001, writes: 0o002 };

/**
 * Throws where another user of the machine could change the home: its jobs are commands, and they would run as the user who serves it;
 * its tokens say who may do what. Comes before anything that starts a program. Windows has no such modes.
 */
export function refuseSharedHome(root: string): void {
  const home = statSync(root, { throwIfNoEntry: false });
  if (process.getuid === undefined || home === undefined) return;
  refuseStranger(root, home, process.getuid());
  if ((home.mode & (GROUP.writes | EVERYBODY.writes)) !== 0) throw openHome(root, 'chmod 700');
  for (const path of trustedIn(root)) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) continue;
    refuseStranger(path, found, process.getuid());
    // A file that its group may write is safe in a folder that the group cannot enter.
    const byGroup = (found.mode & GROUP.writes) !== 0 && (home.mode & GROUP.enters) !== 0;
    const isOpen = byGroup || (found.mode & EVERYBODY.writes) !== 0;
    if (isOpen) throw openHome(path, found.isDirectory() ? 'chmod 700' : 'chmod 600');
  }
}

/** What decides which commands run, and who may do what. */
function trustedIn(root: string): string[] {
  const { config, database, live, token, tokens, audit } = nativeLayout(root);
  const isFolder = statSync(tokens, { throwIfNoEntry: false })?.isDirectory() === true;
  const given = isFolder ? readdirSync(tokens).map((name) => join(tokens, name)) : [];
  return [config, database, live, token, tokens, ...given, audit];
}

function refuseStranger(path: string, { uid }: Stats, me: number): void {
  if (uid === me || uid === 0) return;
  throw new Failure('refused', `${path} belongs to another user, who could change what runs here as you.`, {
    hint: `Nothing was started. If it is yours to take: chown ${me} ${shellWord(path)}`,
  });
}

function openHome(path: string, mend: string): Failure {
  const message = `Other users can change ${path}, and with it what runs here as you, or who may do what.`;
  return new Failure('refused', message, {
    hint: `Nothing was started. See that nobody has, then close it with: ${mend} ${shellWord(path)}`,
  });
}
