import { Failure } from '../failure.ts';
import { shellWord } from '../shell-word.ts';
import { endedByRule } from './end-reasons.ts';
import type { ImportedSession } from '../stores/import-store.ts';
import { type NewMessage, ROLES } from './message.ts';
import { CHILD_KINDS, type NewSession, type SessionSize, type UsageReport } from './session.ts';
import { KEPT_FACTS } from './word-facts.ts';

/** Longest accepted forms, in UTF-8 bytes. An id is a key, not a text. */
const MAX_ID_BYTES = 512;
const MAX_WORD_BYTES = 128;
const MAX_LINE_BYTES = 4096;

/** More than one call can cost, and little enough to be counted exactly in billionths. */
const MAX_COST_USD = 1_000_000;

/** Throws a `usage` failure unless every field can be stored exactly and read back the same. */
export function checkNewSession(session: NewSession): void {
  if (session.id !== undefined) checkSessionId(session.id);
  checkField('source', session.source, MAX_WORD_BYTES);
  checkOptional('routeKey', session.routeKey, MAX_LINE_BYTES);
  checkOptional('title', session.title, MAX_LINE_BYTES);
  for (const { fact } of KEPT_FACTS) checkOptional(fact, session[fact], MAX_LINE_BYTES);
  checkTags(session.tags ?? []);
  if (session.startedAt !== undefined) checkInstant('startedAt', session.startedAt);
  if (session.parentId !== undefined) checkSessionId(session.parentId);
  if (session.childKind !== undefined && !CHILD_KINDS.includes(session.childKind)) {
    throw new Failure('usage', `A session cannot be a "${session.childKind}" of another.`, {
      hint: `Use one of: ${CHILD_KINDS.join(', ')}.`,
    });
  }
  if ((session.parentId === undefined) !== (session.childKind === undefined)) {
    throw new Failure('usage', 'A child session needs both parentId and childKind; other sessions have neither.');
  }
}

/** The same for a session that comes from elsewhere, with its end and its times. */
export function checkImportedSession(session: ImportedSession): void {
  checkNewSession(session);
  checkInstant('lastActiveAt', session.lastActiveAt);
  if (session.endedAt !== undefined) checkInstant('endedAt', session.endedAt);
  if (session.endReason !== undefined) checkReason(session.endReason);
  for (const usage of session.usageByModel) checkUsage(usage);
}

/** Any text without control characters is an id; what it looks like never matters to the file system. */
export function checkSessionId(id: string): void {
  checkField('id', id, MAX_ID_BYTES);
}

export function checkRouteKey(key: string): void {
  checkField('routeKey', key, MAX_LINE_BYTES);
}

export function checkTitle(title: string): void {
  checkField('title', title, MAX_LINE_BYTES);
}

export function checkModel(model: string): void {
  checkField('model', model, MAX_LINE_BYTES);
}

export function checkTags(tags: readonly string[]): void {
  for (const tag of tags) checkField('tag', tag, MAX_WORD_BYTES);
}

export function checkReason(reason: string): void {
  checkField('reason', reason, MAX_LINE_BYTES);
}

/** Message content may hold anything, so only its frame is checked. */
export function checkNewMessage(message: NewMessage): void {
  if (!ROLES.includes(message.role)) {
    throw new Failure('usage', `"${message.role}" is not a role a message can have.`, {
      hint: `Use one of: ${ROLES.join(', ')}.`,
    });
  }
  if (typeof message.content !== 'string' && !Array.isArray(message.content)) {
    throw new Failure('usage', 'Message content must be a string or a list of parts.');
  }
  if (message.at !== undefined) checkInstant('at', message.at);
}

export function checkUsage(report: UsageReport): void {
  checkModel(report.model);
  for (const [name, value] of Object.entries(report)) {
    if (name === 'model' || value === undefined) continue;
    const limit = name === 'costUsd' ? MAX_COST_USD : Number.MAX_SAFE_INTEGER;
    const valid = typeof value === 'number' && value >= 0 && value <= limit;
    const whole = name === 'costUsd' || Number.isInteger(value);
    if (!valid || !whole)
      throw new Failure('usage', `${name} must be a number from 0 to ${limit}, not ${String(value)}.`);
  }
}

/** The failure for an id that names nothing. */
export function noSuchSession(id: string): Failure {
  return new Failure('not-found', `There is no session with the id ${id}.`, {
    hint: 'List them with: coppice sessions list',
  });
}

/** The failure for whoever writes after a message that is not the last any more. */
export function movedOn(id: string, { expected, actual }: { expected: number; actual: number }): Failure {
  return new Failure('refused', `Session ${id} is at message ${actual}, not at ${expected}. Nothing was added.`, {
    hint: `Read from message ${Math.min(expected, actual) + 1} on, then decide anew: what you meant to add may be there already.`,
  });
}

/** The failure for a session that takes nothing more, because it has ended. */
export function endedSession(id: string, reason = 'no reason given'): Failure {
  return new Failure('refused', `Session ${id} has ended (${reason}) and takes no more messages.`, {
    hint: endedByRule(reason) ? GO_ON_AFRESH : 'Open it again with resume(), or start a new session.',
  });
}

/** The failure for a session that has grown as large as it may. */
export function fullSession(id: string, size: SessionSize, within: SessionSize): Failure {
  const full =
    size.messages >= within.messages
      ? `${within.messages.toLocaleString('en')} messages`
      : `${(within.bytes / 1_048_576).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
  return new Failure('refused', `Session ${id} has reached its limit of ${full} and takes no more messages.`, {
    hint: `${GO_ON_AFRESH} Larger ones are allowed by limits.messages and limits.mb.`,
  });
}

const GO_ON_AFRESH = 'Start a new session; where it answers a key, resolve the key again, and a fresh one answers.';

/** The failure for a session whose messages are in the archive. */
export function archivedSession(id: string): Failure {
  return new Failure('refused', `Session ${id} is archived.`, {
    hint: `Restore it first with: coppice sessions restore ${shellWord(id)}`,
  });
}

/** Dates outside this range are mistakes (seconds for milliseconds, NaN), and JSON could not show them. */
function checkInstant(name: string, at: number): void {
  const valid = Number.isInteger(at) && at >= 0 && at <= 8.64e15;
  if (!valid) throw new Failure('usage', `${name} must be milliseconds since 1970, not ${String(at)}.`);
}

function checkOptional(name: string, value: string | undefined, maxBytes: number): void {
  if (value !== undefined) checkField(name, value, maxBytes);
}

function checkField(name: string, value: unknown, maxBytes: number): void {
  if (typeof value !== 'string' || value === '') {
    throw new Failure('usage', `${name} must be a text that is not empty.`);
  }
  if (!value.isWellFormed()) {
    throw new Failure('usage', `${name} contains half of a character pair and could not be stored exactly.`);
  }
  if (/\p{Cc}/u.test(value)) {
    throw new Failure('usage', `${name} contains control characters such as a line break or NUL.`, {
      hint: 'Remove them; message content may hold any character.',
    });
  }
  if (Buffer.byteLength(value) > maxBytes) {
    throw new Failure('usage', `${name} is longer than ${maxBytes} bytes.`);
  }
}
