import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import { fitLine } from './fit-line.ts';
import type { ImportOutcome, SessionOutcome } from './import-outcome.ts';
import { type ImportInto, openTarget } from './import-target.ts';

export interface HomeImport {
  /** The sessions of the home of another agent. */
  readonly from: SessionReader;
  readonly path: string;
  /** Only sessions of this source. */
  readonly source?: string;
  readonly signal?: AbortSignal;
}

/**
 * Brings the sessions of another agent's home into another store with their ids, times, messages, usage and pins. Each appears whole
 * or not at all; one that was brought in before and has not changed is left alone, and one that has is reported.
 */
export async function* importHome(store: ImportInto, request: HomeImport): AsyncGenerator<ImportOutcome> {
  const { from, path, source, signal } = request;
  const sessions: SessionFacts[] = [];
  for await (const facts of from.list({ sort: 'stored', ...(source !== undefined && { source }) }))
    sessions.push(facts);
  const totalBytes = sessions.reduce((sum, { contentBytes }) => sum + contentBytes, 0);
  let bytesRead = 0;
  for (const facts of sessions) {
    signal?.throwIfAborted();
    yield { status: 'reading', path, bytesRead, totalBytes };
    bytesRead += facts.contentBytes;
    yield { ...(await importSession(store, facts, request)), path, bytesRead };
  }
}

type Result = Omit<SessionOutcome, 'path' | 'bytesRead'>;

/** Brings in one session. What the store refuses is a result and does not stop the others. */
export async function importSession(
  store: ImportInto,
  facts: SessionFacts,
  { from, signal }: Pick<HomeImport, 'from' | 'signal'>,
): Promise<Result> {
  const { id } = facts;
  const session = toImported(facts, await from.usageByModel(id));
  let messages = 0;
  try {
    const target = await openTarget(store, session);
    try {
      for await (const message of from.messages(id)) {
        signal?.throwIfAborted();
        await target.add(message, sizeOf(message));
        messages += 1;
      }
      const written = await target.finish(session);
      const status = written === 'grown' ? 'conflict' : written;
      const problems = status === 'conflict' ? [changed(id)] : [];
      return { status, id, messages, problems, problemCount: problems.length };
    } catch (error) {
      await target.abandon();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: 'failed', id, messages, problems: [refused(id, error)], problemCount: 1 };
  }
}

/** What is longer or other than a line that Coppice keeps is made to fit; ids are taken as they are, or not at all. */
function toImported(facts: SessionFacts, usageByModel: ImportedSession['usageByModel']): ImportedSession {
  const { parentId, childKind, endedAt, lastActiveAt, startedAt, pinned } = facts;
  // An agent does not always tell how a session came out of its parent.
  const kind = childKind ?? (facts.source === 'tool' ? 'subagent' : 'branch');
  return {
    id: facts.id,
    source: fitLine(facts.source, MAX_SOURCE) ?? 'unknown',
    ...line('routeKey', facts.routeKey),
    ...(parentId !== undefined && { parentId, childKind: kind }),
    ...line('title', facts.title),
    ...line('model', facts.model),
    ...line('workdir', facts.workdir),
    tags: facts.tags,
    startedAt,
    lastActiveAt,
    ...(endedAt !== undefined && { endedAt }),
    ...line('endReason', facts.endReason),
    pinned,
    usageByModel,
  };
}

const MAX_SOURCE = 32;

function line<K extends string>(name: K, value: string | undefined): { [P in K]?: string } {
  const text = fitLine(value);
  return text === undefined ? {} : ({ [name]: text } as { [P in K]: string });
}

function sizeOf({ content }: Message): number {
  return typeof content === 'string' ? content.length : JSON.stringify(content).length;
}

function changed(id: string): Problem {
  return {
    kind: 'conflict',
    subject: id,
    message: `Session ${id} was brought in before and has other messages now; it was left as it is.`,
    hint: 'To bring it in again, delete it here first with: coppice sessions delete',
  };
}

function refused(id: string, { message, hint }: Failure): Problem {
  return { kind: 'refused', subject: id, message: `Session ${id}: ${message}`, ...(hint !== undefined && { hint }) };
}
