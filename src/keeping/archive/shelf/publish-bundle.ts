import { createHash } from 'node:crypto';
import { closeSync, constants, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../../core/failure.ts';
import { bytesOf, bytesSource, type ObjectSource } from '../../../core/objects/object-store.ts';
import type { ConditionalPut } from '../../../core/objects/probe-objects.ts';
import { openRegular } from '../../../platform/files/open-regular.ts';
import { objectBundleOf } from './bundle-names.ts';
import type { BundleMember } from './bundle-shelf.ts';
import type { ObjectPlace } from './object-place.ts';

const PIECE_BYTES = 1024 * 1024;

/** What says that a bundle counts, and what is in it, so that a bucket can be read without the home that filled it. */
interface Manifest {
  readonly format: 'coppice-archive-manifest';
  readonly version: 1;
  readonly home: string;
  readonly bundle: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly sessions: readonly BundleMember[];
}

/** A file of ours as a source of bytes. It stays as it is meanwhile. */
export function openFileSource(path: string, sizeBytes: number): ObjectSource & Disposable {
  const handle = openRegular(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return {
    sizeBytes,
    async read(offsetBytes, lengthBytes) {
      const bytes = Buffer.allocUnsafe(lengthBytes);
      for (let done = 0; done < lengthBytes; ) {
        const count = readSync(handle, bytes, done, lengthBytes - done, offsetBytes + done);
        if (count === 0) throw new Failure('integrity', 'The bundle was cut short while it was sent.');
        done += count;
      }
      return bytes;
    },
    [Symbol.dispose]: () => closeSync(handle),
  };
}

export async function hashOf(source: ObjectSource): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < source.sizeBytes; at += PIECE_BYTES) {
    hash.update(await source.read(at, Math.min(PIECE_BYTES, source.sizeBytes - at)));
    await setImmediate();
  }
  return hash.digest('hex');
}

/** Reads a bundle back from where it was put. Its hash says that every member is as it was written. */
export async function verifyBundle(place: ObjectPlace, name: string): Promise<void> {
  const facts = objectBundleOf(name);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of (await place.store.get(place.bundleKey(name))) ?? []) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  if (sizeBytes === facts?.sizeBytes && hash.digest('hex') === facts.sha256) return;
  throw new Failure('integrity', `The archive could not be read back from ${place.store.place} as it was written.`);
}

/** Says that a bundle counts: one small object that appears whole or not at all, and is read back too. */
export async function publishBundle(
  place: ObjectPlace,
  { name, members }: { readonly name: string; readonly members: readonly BundleMember[] },
  conditionalPut: ConditionalPut,
): Promise<void> {
  const { store, homeId, manifestKey } = place;
  const bytes = Buffer.from(`${JSON.stringify(manifestOf(homeId, name, members))}\n`);
  const key = manifestKey(name);
  const onlyNew = conditionalPut === 'honoured';
  // Where the server does not hold to the condition, looking first is what is left. Whoever is faster says the same.
  if (onlyNew || (await store.sizeOf(key)) === undefined) await store.put(key, bytesSource(bytes), { onlyNew });
  const there = await store.get(key);
  if (there !== undefined && (await bytesOf(there)).equals(bytes)) return;
  throw new Failure('integrity', `The archive could not be entered in ${store.place} as it was written.`);
}

/** The same for the same bundle, whoever writes it and when. */
function manifestOf(home: string, bundle: string, sessions: readonly BundleMember[]): Manifest {
  const { sha256 = '', sizeBytes = 0 } = objectBundleOf(bundle) ?? {};
  return { format: 'coppice-archive-manifest', version: 1, home, bundle, sha256, sizeBytes, sessions };
}
