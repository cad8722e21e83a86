import { createReadStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchivedSession } from '../../core/sessions/session-archive.ts';
import type { GiveBackOptions } from '../../core/sessions/session-trash.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import { ArchiveBundle, MEMBER_OVERHEAD_BYTES } from './archive-bundle.ts';
import { tarNames } from './archive-tar.ts';
import type { BundleParts } from './bundle-sessions.ts';
import { dropDeadBundles } from './drop-dead-bundles.ts';

/**
 * Writes bundles anew of which less than half is still referred to, or, where nothing of what is gone may stay, those of which
 * anything is not. Returns how many bytes that freed.
 */
export async function rewriteBundles(parts: BundleParts, { erase = false }: GiveBackOptions = {}): Promise<number> {
  const { store, layout } = parts;
  let freedBytes = 0;
  for (const { name, usedBytes, trashedBytes, memberCount } of await store.archive.bundles()) {
    const path = join(layout.archive, name);
    const sizeBytes = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const neededBytes = usedBytes + (memberCount + 1) * MEMBER_OVERHEAD_BYTES;
    // What is in the trash may come back, and goes soon enough otherwise.
    if (trashedBytes > 0 || sizeBytes === 0) continue;
    try {
      const isWorthIt = erase ? tarNames(path).length > memberCount + 1 : neededBytes < sizeBytes / 2;
      if (!isWorthIt) continue;
      freedBytes += sizeBytes - (await rewrite(parts, name));
    } catch (error) {
      // There may be no room for the copy, or the bundle is damaged: it stays as it is.
      errorSentence(error);
    }
  }
  return freedBytes;
}

/** Copies the living members as they are, and lets their sessions refer to the copies before the bundle goes. */
async function rewrite(parts: BundleParts, name: string): Promise<number> {
  const { store, layout, clock } = parts;
  using bundle = new ArchiveBundle(layout, clock.now());
  const sessions: ArchivedSession[] = [];
  for await (const archived of store.archive.list(name)) sessions.push(archived);
  for (const { session, member } of sessions) {
    const { offsetBytes: start, lengthBytes, codec, sha256, plainBytes, lineCount } = member;
    await bundle.add({ id: session.id, title: session.title, codec }, async (write) => {
      const stream = createReadStream('', {
        fd: openRegular(join(layout.archive, name)),
        start,
        end: start + lengthBytes - 1,
      });
      for await (const chunk of stream) write(chunk as Buffer);
      return { sha256, plainBytes, lineCount };
    });
  }
  const checked = await bundle.finish();
  // A member that is damaged stays where it is, for a person to look at.
  const whole = checked.every((copy) => 'files' in copy);
  if (whole)
    await store.archive.move(
      sessions.map((session, at) => ({ ...session, member: checked[at]?.member ?? session.member })),
    );
  await dropDeadBundles(parts, [name, ...checked.map(({ member }) => member.bundle)]);
  return whole ? bundle.sizeBytes : lstatSync(join(layout.archive, name)).size;
}
