import { dirname } from 'node:path';
import { skip } from '../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { ArchiveMember } from '../../core/stores/session-archive.ts';
import type { FileMover } from '../../core/stores/session-trash.ts';
import { MAX_BATCH, MAX_BATCH_BYTES } from '../../core/stores/session-writer.ts';
import { trashRequest } from '../../core/stores/trash-request.ts';
import { obstacleTo } from '../../platform/error-sentence.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { syncDir } from '../../platform/files/private-files.ts';
import type { RunTrash } from '../run-trash.ts';
import { fileLines, isAboutFiles, linesIn, parseArchiveLine } from './archive-lines.ts';
import { inspectMember, memberStretches } from './archive-member.ts';
import { ArchiveUnpack } from './archive-unpack.ts';
import type { StoredParts } from './bundle-sessions.ts';
import type { MemberFile } from './shelf/bundle-shelf.ts';
import { shelfOf } from './shelf/shelf-of.ts';

export interface RestoreStep {
  readonly runId: string;
  readonly trash: Pick<RunTrash, 'purge'>;
  readonly files: FileMover;
}

/**
 * Brings an archived session back: messages out of sight, files into the trash of the run, and then, in one step, the files to
 * their place and the session into sight. Whatever an earlier attempt left is cleared away first.
 */
export async function restoreArchived(parts: StoredParts, step: RestoreStep, item: RunItem): Promise<ItemOutcome> {
  const { archive } = parts.store;
  const { runId, files } = step;
  const { number } = item;
  const request = trashRequest(item);
  const found = await archive.find(runId, number);
  // In the trash, gone, or restored before a crash: the store knows which.
  if (found === undefined || found.trashed) return archive.unseal(runId, request, files);
  const detail = await obstacleTo(() => unpack(parts, step, { item, member: found.member }));
  // Trouble with the store here is no outcome: the files may be back in their place, and recovery finishes the step.
  const outcome: ItemOutcome = detail === undefined ? await archive.unseal(runId, request, files) : skip(item, detail);
  if (outcome.status === 'skipped') await clear(parts, step, item);
  return outcome;
}

interface Unpacking {
  readonly item: RunItem;
  readonly member: ArchiveMember;
}

async function unpack(parts: StoredParts, step: RestoreStep, { item, member }: Unpacking): Promise<void> {
  const { layout } = parts;
  await using file = await shelfOf(parts).open(member);
  const held = await inspectMember(file.path, file.member);
  await clear(parts, step, item);
  // A crash may have come when the files were back in their place already. What else stands there is not overwritten.
  using stands = openBelow(layout.root, layout.sessionDir(item.item.id));
  using trash = openBelow(layout.root, layout.trash(step.runId), { create: true });
  const isBack = stands !== undefined && fileLines(stands).join('\n') === held.join('\n');
  using files = isBack ? undefined : new ArchiveUnpack({ above: trash, name: String(item.number) });
  await readAll(file, {
    put: (messages) => parts.store.archive.put(step.runId, item.number, messages),
    files,
  });
  files?.finish();
  // Before the session is shown: until the files are in their place, this is the only way to them.
  trash.sync();
  for (const folder of [dirname(trash.path), layout.root]) syncDir(folder);
}

interface Taking {
  readonly put: (messages: readonly Message[]) => Promise<void>;
  readonly files: ArchiveUnpack | undefined;
}

/** What else there is of the session never left the store, so only messages and files are taken. */
async function readAll({ path, member }: MemberFile, { put, files }: Taking): Promise<void> {
  let messages: Message[] = [];
  let bytes = 0;
  for await (const stretch of memberStretches(path, member)) {
    for (const line of linesIn(stretch)) {
      const parsed = parseArchiveLine(line);
      if (isAboutFiles(parsed)) files?.take(parsed);
      if (parsed?.kind !== 'message') continue;
      messages.push(parsed.message);
      bytes += line.length;
      if (messages.length < MAX_BATCH && bytes < MAX_BATCH_BYTES) continue;
      await put(messages);
      messages = [];
      bytes = 0;
    }
  }
  if (messages.length > 0) await put(messages);
}

async function clear({ store }: StoredParts, { runId, trash }: RestoreStep, item: RunItem): Promise<void> {
  await store.archive.clear(runId, item.number);
  await trash.purge(item);
}
