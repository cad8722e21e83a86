import { createHash } from 'node:crypto';
import { DAY_MS, type EpochMs, HOUR_MS, isoTime } from '../../src/core/time.ts';
import { FILE_NOW, jsonLines, putFile } from './file-home-scene.ts';

/** A session of Gemini CLI, and where and how its program left it. */
export interface GeminiSpec {
  readonly id: string;
  /** The folder of its project; `greeter` where nothing is said. */
  readonly project?: string;
  readonly prompts?: readonly string[];
  readonly summary?: string;
  readonly daysAgo?: number;
  /** How many days ago its file was written, where that is not when it was used. */
  readonly writtenDaysAgo?: number;
  readonly kind?: string;
  /** Kept as earlier versions did, in one document. */
  readonly old?: true;
}

/** The id of a session of which only the end differs: eight characters in common with all others. */
export function geminiId(end: string): string {
  return `01a1de37-dca5-4193-9790-${end.padStart(12, '0')}`;
}

export function usedAt({ daysAgo = 40 }: GeminiSpec): EpochMs {
  return FILE_NOW - daysAgo * DAY_MS;
}

export function writtenAt(spec: GeminiSpec): EpochMs {
  const { writtenDaysAgo } = spec;
  return writtenDaysAgo === undefined ? usedAt(spec) : FILE_NOW - writtenDaysAgo * DAY_MS;
}

/** The first line of a chat. */
export function geminiHeader(spec: GeminiSpec, at = usedAt(spec)): object {
  const { id, kind = 'main', project = 'greeter' } = spec;
  const projectHash = createHash('sha256').update(`/home/ada/${project}`).digest('hex');
  return { sessionId: id, projectHash, startTime: isoTime(at), lastUpdated: isoTime(at), kind };
}

/** Where the program tells the model that it is: no prompt of anybody. */
export function geminiContext(at: EpochMs): object {
  const content = [{ text: '<session_context>\nThis is the Gemini CLI.\n</session_context>' }];
  return { $set: { messages: [{ id: 'context', timestamp: isoTime(at), type: 'user', content }] } };
}

/** A prompt and its answer, each followed by the time at which it was said. */
export function geminiTurn(id: string, prompt: string, at: EpochMs): object[] {
  const timestamp = isoTime(at);
  const tokens = { input: 500, output: 7, cached: 100, thoughts: 3, tool: 0, total: 510 };
  const said = { $set: { lastUpdated: timestamp } };
  return [
    { id: `${id}-${at}-p`, timestamp, type: 'user', content: [{ text: prompt }] },
    said,
    {
      id: `${id}-${at}-a`,
      timestamp,
      type: 'gemini',
      content: `An answer to: ${prompt}`,
      tokens,
      model: 'gemini-2.5-flash',
    },
    said,
  ];
}

/** A chat as Gemini CLI 0.61 writes it. */
export function geminiLines(spec: GeminiSpec): object[] {
  const { id, prompts = ['What does this project do?'], summary } = spec;
  const at = usedAt(spec);
  const begun = at - HOUR_MS;
  return [
    geminiHeader(spec, begun),
    geminiContext(begun),
    ...prompts.flatMap((prompt, turn) =>
      geminiTurn(id, prompt, turn === prompts.length - 1 ? at : begun + turn * 1000),
    ),
    ...(summary === undefined ? [] : [{ $set: { summary } }]),
  ];
}

/** The same as versions before 0.40 wrote it. */
function oldDocument(spec: GeminiSpec): string {
  const [header, context, ...lines] = geminiLines(spec) as Record<string, object>[];
  const messages = lines.filter((line) => 'type' in line);
  const { messages: told } = (context?.['$set'] ?? {}) as { messages: object[] };
  return JSON.stringify(
    { ...header, lastUpdated: isoTime(usedAt(spec)), messages: [...told, ...messages] },
    undefined,
    2,
  );
}

/** The name of a chat has the minute in which it began, and eight characters of its id. */
export function chatPath(spec: GeminiSpec, at = usedAt(spec)): string {
  const { id, project = 'greeter', old } = spec;
  const minute = isoTime(at).slice(0, 16).replace(':', '-');
  return `tmp/${project}/chats/session-${minute}-${id.slice(0, 8)}.${old ? 'json' : 'jsonl'}`;
}

/** Writes a session; its path comes back. */
export function putGemini(home: string, spec: GeminiSpec): string {
  const path = chatPath(spec);
  putFile(home, path, spec.old ? oldDocument(spec) : jsonLines(geminiLines(spec)), writtenAt(spec));
  return path;
}

/** What a session has beside its chat: a subagent, its outputs, a log, plans. */
export function putStores(home: string, spec: GeminiSpec): void {
  const { id, project = 'greeter' } = spec;
  const at = writtenAt(spec);
  const subagent = { ...spec, id: `${id.slice(0, -1)}f`, kind: 'subagent', prompts: ['List the functions.'] };
  const put = (path: string, content: string) => putFile(home, `tmp/${project}/${path}`, content, at);
  put(`chats/${id}/${subagent.id}.jsonl`, jsonLines(geminiLines(subagent)));
  put(`logs/session-${id}.jsonl`, '{"event":"start"}\n');
  put(`logs/session-${subagent.id}.jsonl`, '{"event":"start"}\n');
  put(`tool-outputs/session-${id}/run_shell_command_1.txt`, 'a long output\n'.repeat(50));
  put(`${id}/plans/plan.md`, '# Plan\n');
  put(`${id}/tracker/tasks.json`, '[]');
}

/** What people typed in a project, as the program keeps it for all sessions. */
export function putPromptLog(
  home: string,
  project: string,
  prompts: readonly (readonly [id: string, text: string])[],
): void {
  const counts = new Map<string, number>();
  const entries = prompts.map(([sessionId, message], at) => {
    const messageId = counts.get(sessionId) ?? 0;
    counts.set(sessionId, messageId + 1);
    const timestamp = isoTime(FILE_NOW - 50 * DAY_MS + at * HOUR_MS);
    return { sessionId, messageId, type: 'user', message, timestamp };
  });
  putFile(home, `tmp/${project}/logs.json`, JSON.stringify(entries, undefined, 2), FILE_NOW - 45 * DAY_MS);
}
