import type { ServerResponse } from 'node:http';
import type { Audit } from '../app/access/audit.ts';
import type { Holder } from '../app/access/find-bearer.ts';
import type { AuditRecord } from '../core/audit.ts';
import { errorText } from '../core/error-text.ts';
import type { Clock } from '../core/time.ts';
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
  readonly route: Route;
  readonly id: string;
  readonly holder: Holder | undefined;
  readonly response: ServerResponse;
}

/** What only reads, and what nobody can be named for, is not put on record. */
export function noteOf(parts: NoteParts, { route, id, holder, response }: Noted): Note {
  if (route.method === 'GET' || holder === undefined) return () => undefined;
  const before = {
    at: parts.clock.now(),
    who: holder.bearer.name,
    via: 'token' as const,
    address: response.req.socket.remoteAddress ?? 'local',
    what: `${route.method} ${route.path}`,
  };
  let isOver = false;
  return (status, document = {}, isRepeated = false) => {
    // What comes after that, such as a client that is gone, changes nothing any more.
    if (isOver) return;
    isOver = true;
    const outcome = outcomeOf(status);
    const { subject, run } = aboutWhat(id, document);
    const record: AuditRecord = {
      ...before,
      ...(subject !== undefined && { subject: subject.slice(0, SUBJECT_CHARS) }),
      ...(run !== undefined && { run }),
      ...(isRepeated && { detail: REPEATED }),
      outcome,
      status,
      requestId: String(response.getHeader('x-request-id')),
    };
    // What was refused or done before changed nothing, and appends come by the thousand: none may push out the record of a removal.
    const isRoutine = outcome === 'refused' || isRepeated || route.scope === 'append';
    try {
      if (isRoutine) parts.audit.add(record);
      else parts.audit.note(record);
    } catch (error) {
      // The change is made. A full disk must not keep anybody from removing things.
      parts.say(`The request ${record.requestId ?? ''} could not be put on record: ${errorText(error)}`);
    }
  };
}

function outcomeOf(status: number): AuditRecord['outcome'] {
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

/** What the path names; else what was made, as the answer has it. */
function aboutWhat(id: string, document: object): { readonly subject?: string; readonly run?: string } {
  const session = idIn('session' in document ? document.session : undefined);
  const run = idIn('run' in document ? document.run : undefined);
  const subject = id === '' ? (idIn(document) ?? session) : id;
  return { ...(subject !== undefined && { subject }), ...(run !== undefined && { run }) };
}

function idIn(value: unknown): string | undefined {
  const has = typeof value === 'object' && value !== null && 'id' in value;
  return has && typeof value.id === 'string' ? value.id : undefined;
}
