import { createReadStream } from 'node:fs';
import type { ArchivedSession } from '../../core/stores/session-archive.ts';
import type { GiveBackOptions } from '../../core/stores/session-trash.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import { ArchiveBundle, MEMBER_OVERHEAD_BYTES } from './archive-bundle.ts';
import type { BundleParts } from './bundle-sessions.ts';
import { dropDeadBundles } from './drop-dead-bundles.ts';
import { bytesHere } from './shelf/bundle-names.ts';
import { shelfOf } from './shelf/shelf-of.ts';

/**
 * Writes bundles anew of which less than half is still referred to, or, where nothing of what is gone may stay, those of which
 * anything is not. Returns how many bytes that freed.
 */
export async function rewriteBundles(parts: BundleParts, { erase = false }: GiveBackOptions = {}): Promise<number> {
  const shelf = shelfOf(parts);
  const bundles = await parts.store.archive.bundles();
  await shelf.settle(new Set(bundles.map(({ name }) => name)), []);
  let freedBytes = 0;
  for (const { name, usedBytes, trashedBytes, memberCount } of bundles) {
    const neededBytes = usedBytes + (memberCount + 1) * MEMBER_OVERHEAD_BYTES;
    // What is in the trash may come back, and goes soon enough otherwise.
    if (trashedBytes > 0) continue;
    try {
      const facts = shelf.factsOf(name);
      if (facts === undefined) continue;
      const isWorthIt = erase ? facts.memberCount > memberCount : neededBytes < facts.sizeBytes / 2;
      if (isWorthIt)
        freedBytes += bytesHere({ bundle: name, lengthBytes: facts.sizeBytes }) - (await rewrite(parts, name));
    } catch (error) {
      // There may be no room for the copy, or the bundle is damaged or out of reach: it stays as it is.
      errorSentence(error);
    }
  }
  return freedBytes;
}

/** Copies the living members as they are, and lets their sessions refer to the copies before the bundle goes. Returns what is here then. */
async function rewrite(parts: BundleParts, name: string): Promise<number> {
  const { store, layout, clock } = parts;
  const shelf = shelfOf(parts);
  using bundle = new ArchiveBundle(layout, clock.now());
  const sessions: ArchivedSession[] = [];
  for await (const archived of store.archive.list(name)) sessions.push(archived);
  for (const { session, member } of sessions) {
    const { codec, sha256, plainBytes, lineCount } = member;
    await using file = await shelf.open(member);
    const { offsetBytes: start, lengthBytes } = file.member;
    await bundle.add({ id: session.id, title: session.title, codec }, async (write) => {
      const stream = createReadStream('', { fd: openRegular(file.path), start, end: start + lengthBytes - 1 });
      for await (const chunk of stream) write(chunk as Buffer);
      return { sha256, plainBytes, lineCount };
    });
  }
  const checked = await bundle.finish(shelf);
  // A member that is damaged stays where it is, for a person to look at.
  const whole = checked.every((copy) => 'files' in copy);
  if (whole)
    await store.archive.move(
      sessions.map((session, at) => ({ ...session, member: checked[at]?.member ?? session.member })),
    );
  const [copy = name] = checked.map(({ member }) => member.bundle);
  await dropDeadBundles(parts, [name, copy]);
  const left = whole ? copy : name;
  return bytesHere({ bundle: left, lengthBytes: shelf.factsOf(left)?.sizeBytes ?? 0 });
}
