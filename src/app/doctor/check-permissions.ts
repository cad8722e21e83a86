import { dirname } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import { shellWord } from '../../core/shell-word.ts';
import type { NativeLayout } from '../../homes/native/native-layout.ts';
import { linkedFolders, openEntries } from '../../homes/native/open-entries.ts';
import { networkFileSystem } from '../../platform/machine/file-system-facts.ts';

const CLOSE = 'Close it with: coppice doctor --repair';

/** What other users or other machines could reach. What lies deeper in the home is counted and not named one by one. */
export function permissionProblems(layout: NativeLayout): Problem[] {
  const problems: Problem[] = [];
  let deeper = 0;
  for (const { path } of openEntries(layout)) {
    if (path === layout.root || dirname(path) === layout.root) problems.push(openToOthers(path, path));
    else deeper += 1;
  }
  if (deeper > 0) {
    const what = deeper === 1 ? '1 file or folder' : `${deeper} files and folders`;
    problems.push(openToOthers(layout.root, `${what} inside ${layout.root}`));
  }
  problems.push(...linkedFolders(layout).map(linked));
  const network = networkFileSystem(layout.root);
  if (network !== undefined) {
    problems.push({
      kind: 'network-file-system',
      subject: layout.root,
      message: `The home is on a network file system (${network}), where locks are less reliable.`,
      hint: 'Let only one machine use it, or move it to a local disk.',
    });
  }
  return problems;
}

/** Nothing is broken by it, but nothing is kept there either. */
function linked(subject: string): Problem {
  return {
    kind: 'linked-folder',
    subject,
    message: `${subject} is a link or no folder. What is behind it is not looked at, and nothing is written or removed there.`,
    hint: `Put the folder itself there, or move ${shellWord(subject)} away: Coppice makes a new one when it needs it. To keep more on another disk, put the whole home there.`,
  };
}

function openToOthers(subject: string, what: string): Problem {
  const message = `${what} can be read by other users of this machine.`;
  return { kind: 'open-to-others', subject, message, hint: CLOSE };
}
