import { archivedSession, noSuchSession } from '../../../core/sessions/check-session.ts';
import type { SessionFacts } from '../../../core/sessions/session.ts';
import type { SessionReader } from '../../../core/stores/session-reader.ts';
import { exportHtml } from './export-html.ts';
import { type ExportHeader, exportJsonl } from './export-jsonl.ts';
import { exportMarkdown } from './export-markdown.ts';
import { type ExportedSession, redactSession } from './exported-session.ts';

export const EXPORT_FORMATS = ['jsonl', 'markdown', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportRequest {
  readonly ids: readonly string[];
  readonly format: ExportFormat;
  /** Hides secrets in messages and titles. */
  readonly redact: boolean;
}

/** What an export needs of the store that it reads. */
export type ExportFrom = Pick<SessionReader, 'get' | 'usageByModel' | 'messages'>;

/** The text of an export, piece by piece. An id that does not exist, or is archived, fails before the first piece. */
export async function* exportSessions(
  store: ExportFrom,
  { ids, format, redact }: ExportRequest,
): AsyncGenerator<string> {
  const unique = [...new Set(ids)];
  for (const id of unique) await requireSession(store, id);
  const sessions = readSessions(store, unique);
  yield* RENDERERS[format](redact ? redacted(sessions) : sessions, { sessions: unique.length, redacted: redact });
}

type Renderer = (sessions: AsyncIterable<ExportedSession>, header: ExportHeader) => AsyncGenerator<string>;

const RENDERERS: Readonly<Record<ExportFormat, Renderer>> = {
  jsonl: exportJsonl,
  markdown: exportMarkdown,
  html: exportHtml,
};

async function* readSessions(store: ExportFrom, ids: readonly string[]): AsyncGenerator<ExportedSession> {
  for (const id of ids) {
    const facts = await requireSession(store, id);
    yield { facts, usageByModel: await store.usageByModel(id), messages: store.messages(id) };
    // A session removed half-way would otherwise look like a shorter one that is complete.
    await requireSession(store, id);
  }
}

async function* redacted(sessions: AsyncIterable<ExportedSession>): AsyncGenerator<ExportedSession> {
  for await (const session of sessions) yield redactSession(session);
}

async function requireSession(store: ExportFrom, id: string): Promise<SessionFacts> {
  const facts = await store.get(id);
  if (facts === undefined) throw noSuchSession(id);
  if (facts.archivedAt !== undefined) throw archivedSession(id);
  return facts;
}
