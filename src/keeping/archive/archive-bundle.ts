import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchmodSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Failure } from '../../core/failure.ts';
import type { ArchiveCodec, ArchiveMember } from '../../core/sessions/session-archive.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { syncDir } from '../../platform/files/private-files.ts';
import { temporaryName } from '../../platform/leftovers/temporary-name.ts';
import { lookAhead } from '../look-ahead.ts';
import type { OwnLayout } from '../own-layout.ts';
import { ARCHIVE_CODECS } from './archive-codecs.ts';
import { inspectMember, type PlainFacts } from './archive-member.ts';
import { type ArchiveTar, createArchiveTar } from './archive-tar.ts';

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

const BUNDLE_NAME = /^\d{8}T\d{9}Z-[0-9a-f]{8}\.tar$/;

/** True for a name that a bundle gets. */
export function isBundleName(name: string): boolean {
  return BUNDLE_NAME.test(name);
}

/** A bundle that is being written. It has no name until every member was read back, and leaves nothing behind without one. */
export class ArchiveBundle implements Disposable {
  readonly #layout: OwnLayout;
  readonly #name: string;
  readonly #folder: DirectoryHandle;
  readonly #temporary: string;
  readonly #handle: number;
  readonly #tar: ArchiveTar;
  readonly #members: ArchiveMember[] = [];
  readonly #index: object[] = [];
  #named = false;

  constructor(layout: OwnLayout, now: EpochMs) {
    this.#layout = layout;
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
  ): Promise<ArchiveMember> {
    const name = `${this.#members.length + 1}.jsonl.${ARCHIVE_CODECS[codec].extension}`;
    const { offsetBytes, lengthBytes, value: facts } = await this.#tar.add(name, fill);
    const member = { bundle: this.#name, offsetBytes, lengthBytes, codec, ...facts };
    this.#members.push(member);
    const shown = title?.slice(0, TITLE_CHARACTERS).toWellFormed();
    this.#index.push({ member: name, id, ...(shown !== undefined && { title: shown }), codec, ...facts });
    return member;
  }

  /** Makes the bundle durable, reads back every member from the disk, and only then gives the bundle its name. */
  async finish(): Promise<readonly CheckedMember[]> {
    const index = this.#index.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await this.#tar.add('index.jsonl', (write) => write(Buffer.from(index)));
    this.#tar.finish();
    fsyncSync(this.#handle);
    const checked: CheckedMember[] = [];
    for await (const one of lookAhead(this.#members, AT_ONCE, (member) => this.#check(member))) checked.push(one);
    renameSync(this.#temporary, this.#folder.at(this.#name));
    this.#named = true;
    this.#folder.sync();
    syncDir(this.#layout.root);
    return checked;
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
    try {
      if (!this.#named) rmSync(this.#temporary, { force: true });
    } catch {
      // The error that led here says more, and what stays behind has a name that shows what it is.
    } finally {
      this.#folder[Symbol.dispose]();
    }
  }

  async #check(member: ArchiveMember): Promise<CheckedMember> {
    try {
      return { member, files: await inspectMember(this.#temporary, member) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { member, detail: 'The archive could not be read back as it was written.' };
    }
  }
}
