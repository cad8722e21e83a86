import { createHash } from 'node:crypto';
import { closeSync, constants, fchmodSync, linkSync, openSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from '../../../core/failure.ts';
import type { ObjectStore } from '../../../core/objects/object-store.ts';
import type { ArchiveMember } from '../../../core/stores/session-archive.ts';
import type { Clock } from '../../../core/time.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../../platform/files/directory-handle.ts';
import { readRegular } from '../../../platform/files/open-regular.ts';
import { writeAll } from '../../../platform/files/write-all.ts';
import { ifPossible } from '../../../platform/if-possible.ts';
import { temporaryName } from '../../../platform/leftovers/temporary-name.ts';
import type { OwnLayout } from '../../own-layout.ts';
import { inspectMember } from '../archive-member.ts';
import type { MemberFile } from './bundle-shelf.ts';

/** What one member may take of all that is kept, so that a single large one does not push out the rest. */
const LARGEST_PART = 1 / 4;

export interface MemberCacheParts {
  readonly store: ObjectStore;
  readonly layout: OwnLayout;
  readonly clock: Clock;
  /** The most that is kept here. */
  readonly cacheBytes: number;
}

/**
 * A member of a bundle in an object store, as a file here. Only its own bytes are fetched, and they are looked through before they count. Some
 * are kept for the next time; whoever reads one has a name of their own for it, so it can be pushed out meanwhile.
 */
export async function fetchMember(
  parts: MemberCacheParts,
  member: ArchiveMember,
  bundleKey: string,
): Promise<MemberFile> {
  const { layout, cacheBytes } = parts;
  const folder = openBelow(layout.root, cacheFolder(layout), { create: true });
  const name = temporaryName();
  const own: MemberFile = {
    path: join(folder.path, name),
    member: { ...member, offsetBytes: 0 },
    async [Symbol.asyncDispose]() {
      try {
        rmSync(folder.at(name), { force: true });
      } catch {
        // Whatever led here says more, and what stays behind has a name that shows what it is.
      } finally {
        folder[Symbol.dispose]();
      }
    },
  };
  try {
    if (takeKept(folder, member, name)) return own;
    const sha256 = await fetchInto(folder.at(name), parts, { member, bundleKey });
    await inspectMember(own.path, own.member);
    if (member.lengthBytes <= cacheBytes * LARGEST_PART) {
      ifPossible(() => linkSync(folder.at(name), folder.at(keptName(member, sha256))));
      pushOut(folder, cacheBytes);
    }
    return own;
  } catch (error) {
    await own[Symbol.asyncDispose]();
    throw error;
  }
}

/** Where members are kept that came from an object store. All of it can go at any time. */
export function cacheFolder({ root }: Pick<OwnLayout, 'root'>): string {
  return join(root, 'cache', 'archive');
}

interface Fetching {
  readonly member: ArchiveMember;
  readonly bundleKey: string;
}

async function fetchInto(path: string, { store }: MemberCacheParts, { member, bundleKey }: Fetching): Promise<string> {
  const { offsetBytes, lengthBytes } = member;
  const chunks = await store.get(bundleKey, { offsetBytes, lengthBytes });
  if (chunks === undefined) throw missing(store, bundleKey);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const hash = createHash('sha256');
  try {
    fchmodSync(handle, 0o600);
    for await (const chunk of chunks) {
      hash.update(chunk);
      writeAll(handle, chunk);
    }
  } finally {
    closeSync(handle);
  }
  return hash.digest('hex');
}

/** Gives what is kept of a member a name of one's own. False where there is nothing of it, or not what was kept. */
function takeKept(folder: DirectoryHandle, member: ArchiveMember, name: string): boolean {
  const kept = folder.names().find((each) => each.startsWith(keptName(member, '')));
  if (kept === undefined) return false;
  try {
    linkSync(folder.at(kept), folder.at(name));
    const sha256 = createHash('sha256')
      .update(readRegular(folder.at(name)))
      .digest('hex');
    if (kept === keptName(member, sha256)) {
      const now = new Date();
      utimesSync(folder.at(kept), now, now);
      return true;
    }
  } catch (error) {
    // Something may have pushed it out just now.
    if (errorCode(error) === undefined) throw error;
  }
  for (const each of [kept, name]) ifPossible(() => rmSync(folder.at(each), { force: true }));
  return false;
}

/** Says what it is and what its bytes must be. */
function keptName({ bundle, offsetBytes }: ArchiveMember, sha256: string): string {
  return `${bundle.slice(0, 32)}-${offsetBytes}-${sha256}`;
}

const KEPT = /^[0-9a-f]{32}-\d+-[0-9a-f]{64}$/;

/** Lets go of what was used the longest time ago, until the rest fits. */
function pushOut(folder: DirectoryHandle, cacheBytes: number): void {
  const kept = folder.names().flatMap((name) => {
    const stat = KEPT.test(name) ? folder.look(name) : undefined;
    return stat === undefined ? [] : [{ name, sizeBytes: stat.size, usedAt: stat.mtimeMs }];
  });
  let sizeBytes = kept.reduce((sum, one) => sum + one.sizeBytes, 0);
  for (const one of kept.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (sizeBytes <= cacheBytes) return;
    ifPossible(() => rmSync(folder.at(one.name), { force: true }));
    sizeBytes -= one.sizeBytes;
  }
}

function missing(store: ObjectStore, key: string): Failure {
  return new Failure('integrity', `Its archive is missing: ${store.place} has no ${basename(key)}.`, {
    hint: `Bring ${key} back there from a backup, or set archive.url to where it is, then try again.`,
  });
}
