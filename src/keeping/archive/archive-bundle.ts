import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchmodSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Failure } from '../../core/failure.ts';
import type { ArchiveCodec, ArchiveMember } from '../../core/stores/session-archive.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { temporaryName } from '../../platform/leftovers/temporary-name.ts';
import { lookAhead } from '../look-ahead.ts';
import type { OwnLayout } from '../own-layout.ts';
import { ARCHIVE_CODECS } from './archive-codecs.ts';
import { inspectMember, type PlainFacts } from './archive-member.ts';
import { type ArchiveTar, createArchiveTar } from './archive-tar.ts';
import type { BundleMember, BundleShelf } from './shelf/bundle-shelf.ts';

/** So many members are compressed or read back ahead: there are four threads for it, and more than cores would only disturb each other. */
export const AT_ONCE = Math.min(4, availableParallelism() - 1);

/** Enough to recognise a session by. */
const TITLE_CHARACTERS = 200;
/** The most that a member takes in a bundle beside its content: header, padding, and its line in the index. */
export const MEMBER_OVERHEAD_BYTES = 2560;

/** What the index of a bundle says about a member, beside what it must be when it is read. */
export interface MemberLabel {
  readonly id: string;
  readonly title?: string | undefined;
  readonly codec: ArchiveCodec;
}

/** A member that was read back from the disk: the lines that describe its files, or why it cannot be relied on. */
export type CheckedMember = { readonly member: ArchiveMember } & (
  | { readonly files: readonly string[] }
  | { readonly detail: string }
);

/** A bundle that is being written. It is no bundle until every member was read back, and leaves nothing behind before that. */
export class ArchiveBundle implements Disposable {
  readonly #name: string;
  readonly #folder: DirectoryHandle;
  readonly #temporary: string;
  readonly #handle: number;
  readonly #tar: ArchiveTar;
  readonly #members: BundleMember[] = [];

  constructor(layout: OwnLayout, now: EpochMs) {
    this.#name = `${isoTime(now).replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}.tar`;
    this.#folder = openBelow(layout.root, layout.archive, { create: true });
    this.#temporary = this.#folder.at(temporaryName());
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    this.#handle = openSync(this.#temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    // The umask may have taken bits away from the mode that `open` was given.
    fchmodSync(this.#handle, 0o600);
    this.#tar = createArchiveTar(this.#handle, now);
  }

  get sizeBytes(): number {
    return this.#tar.sizeBytes;
  }

  /** Adds the member that `fill` writes. */
  async add(
    { id, title, codec }: MemberLabel,
    fill: (write: (data: Uint8Array) => void) => PlainFacts | Promise<PlainFacts>,
  ): Promise<void> {
    const name = `${this.#members.length + 1}.jsonl.${ARCHIVE_CODECS[codec].extension}`;
    const { offsetBytes, lengthBytes, value: facts } = await this.#tar.add(name, fill);
    const shown = title?.slice(0, TITLE_CHARACTERS).toWellFormed();
    const label = { member: name, id, ...(shown !== undefined && { title: shown }), codec };
    this.#members.push({ ...label, offsetBytes, lengthBytes, ...facts });
  }

  /** Makes the bundle durable, reads back every member from the disk, and only then puts the bundle where it belongs. */
  async finish(shelf: BundleShelf): Promise<readonly CheckedMember[]> {
    const index = this.#members.map((member) => `${JSON.stringify(indexEntry(member))}\n`).join('');
    await this.#tar.add('index.jsonl', (write) => write(Buffer.from(index)));
    this.#tar.finish();
    fsyncSync(this.#handle);
    const checks: Check[] = [];
    for await (const one of lookAhead(this.#members, AT_ONCE, (member) => this.#check(member))) checks.push(one);
    const written = { folder: this.#folder, temporary: this.#temporary, name: this.#name, sizeBytes: this.sizeBytes };
    const bundle = await shelf.keep({ ...written, members: this.#members });
    return this.#members.map((member, at) => ({
      member: memberOf(member, bundle),
      ...(checks[at] ?? { detail: 'It was not looked at.' }),
    }));
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
    try {
      rmSync(this.#temporary, { force: true });
    } catch {
      // The error that led here says more, and what stays behind has a name that shows what it is.
    } finally {
      this.#folder[Symbol.dispose]();
    }
  }

  async #check(member: BundleMember): Promise<Check> {
    try {
      return { files: await inspectMember(this.#temporary, memberOf(member, this.#name)) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { detail: 'The archive could not be read back as it was written.' };
    }
  }
}

type Check = { readonly files: readonly string[] } | { readonly detail: string };

function memberOf({ member: _, id: __, title: ___, ...facts }: BundleMember, bundle: string): ArchiveMember {
  return { bundle, ...facts };
}

/** What the index of a bundle says: where a member is in it, `tar` finds by its name. */
function indexEntry({ offsetBytes: _, lengthBytes: __, ...entry }: BundleMember): object {
  return entry;
}
