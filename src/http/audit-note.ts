import type { ServerResponse } from 'node:http';
import type { Audit } from '../app/access/audit.ts';
import type { Holder } from '../app/access/find-bearer.ts';
import type { AuditRecord } from '../core/audit.ts';
import { errorText } from '../core/error-text.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import type { Route } from './route.ts';

/** An id may be as long as a client likes; this much of it tells which one was meant. */
const SUBJECT_CHARS = 200;

export interface NoteParts {
  readonly audit: Audit;
  readonly clock: Clock;
  /** One line for the log. */
  readonly say: (line: string) => void;
}

/** Puts a request on record when it is over: with its status, what it answers where it was done, and whether it was done before. */
export type Note = (status: number, document?: object, isRepeated?: boolean) => void;

/** Of a request whose key was seen before, so that nobody takes one removal for two. */
const REPEATED = 'asked for again';

export interface Noted {
  readonly found: { readonly route: Route; readonly id: string };
  readonly holder: Holder | undefined;
  readonly response: ServerResponse;
}

/** What only reads, and what nobody can be named for, is not put on record. */
export function noteOf(parts: NoteParts, noted: Noted): Note {
  const { holder } = noted;
  if (noted.found.route.method === 'GET' || holder === undefined) return noteNothing;
  const at = parts.clock.now();
  let isOver = false;
  return (status, document = NOTHING, isRepeated = false) => {
    // What comes after that, such as a client that is gone, changes nothing any more.
    if (isOver) return;
    isOver = true;
    const record = recordOf({ noted, who: holder.bearer.name, at }, { status, document, isRepeated });
    // What was refused or done before changed nothing, and appends come by the thousand: none may push out the record of a removal.
    const isRoutine = record.outcome === 'refused' || isRepeated || noted.found.route.scope === 'append';
    try {
      if (isRoutine) parts.audit.add(record);
      else parts.audit.note(record);
    } catch (error) {
      // The change is made. A full disk must not keep anybody from removing things.
      parts.say(`The request ${record.requestId ?? ''} could not be put on record: ${errorText(error)}`);
    }
  };
}

function noteNothing(): void {}

const NOTHING = {};

interface Asked {
  readonly noted: Noted;
  readonly who: string;
  readonly at: EpochMs;
}

interface Answered {
  readonly status: number;
  readonly document: object;
  readonly isRepeated: boolean;
}

/** Made for every append, so it is put together without copies. */
function recordOf({ noted, who, at }: Asked, { status, document, isRepeated }: Answered): AuditRecord {
  const { found, response } = noted;
  const record: { -readonly [Field in keyof AuditRecord]: AuditRecord[Field] } = {
    at,
    who,
    via: 'token',
    address: response.req.socket.remoteAddress ?? 'local',
    what: whatOf(found.route),
    outcome: outcomeOf(status),
    status,
    requestId: String(response.getHeader('x-request-id')),
  };
  const subject = subjectOf(found.id, document);
  const run = idIn('run' in document ? document.run : undefined);
  if (subject !== undefined) record.subject = subject.slice(0, SUBJECT_CHARS);
  if (run !== undefined) record.run = run;
  if (isRepeated) record.detail = REPEATED;
  return record;
}

function whatOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

function outcomeOf(status: number): AuditRecord['outcome'] {
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

/** What the path names; else what was made, as the answer has it. */
function subjectOf(id: string, document: object): string | undefined {
  if (id !== '') return id;
  return idIn(document) ?? idIn('session' in document ? document.session : undefined);
}

function idIn(value: unknown): string | undefined {
  const has = typeof value === 'object' && value !== null && 'id' in value;
  return has && typeof value.id === 'string' ? value.id : undefined;
}
