import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { ScanOptions } from '../../core/retention/home-driver.ts';
import type { ArchivedSession } from '../../core/stores/session-archive.ts';
import { inspectMember } from '../../keeping/archive/archive-member.ts';
import { isBundleName } from '../../keeping/archive/shelf/bundle-names.ts';
import { scanArchive } from '../../keeping/archive/scan-archive.ts';
import type { HomeParts } from '../home-parts.ts';

/** Reads every archived session from the disk to its end, and names what is missing, damaged or left behind. */
export async function checkArchive({ store, layout }: HomeParts, { signal, onProgress }: ScanOptions) {
  const { problems: found, debris } = await scanArchive(store, layout);
  const problems: Problem[] = [...found, ...debris.map(({ id }) => leftBehind(id))];
  const missing = new Set(found.filter(({ kind }) => kind === 'archive-missing').map(({ subject }) => subject));
  let looked = 0;
  for await (const archived of store.archive.list()) {
    signal?.throwIfAborted();
    // What is elsewhere is looked at by `checkObjects`.
    if (!isBundleName(archived.member.bundle)) continue;
    looked += 1;
    onProgress?.(looked);
    if (missing.has(`archive/${archived.member.bundle}`)) continue;
    try {
      await inspectMember(join(layout.archive, archived.member.bundle), archived.member);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(damaged(archived));
    }
  }
  return { name: 'archive', looked, problems };
}

function leftBehind(subject: string): Problem {
  return { kind: 'debris', subject, message: `${subject} is part of no archived session. A later run removes it.` };
}

function damaged({ session, member }: ArchivedSession): Problem {
  return {
    kind: 'archive-damaged',
    subject: session.id,
    message: `The archive of session ${session.id} in archive/${member.bundle} is damaged, so it cannot be restored.`,
    hint: `Bring archive/${member.bundle} back from a backup.`,
  };
}
