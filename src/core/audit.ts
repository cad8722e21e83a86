import type { EpochMs } from './time.ts';

/** Who changed what, or tried to. Never what was said: no texts of messages, no tokens, no bodies of requests. */
export interface AuditRecord {
  readonly at: EpochMs;
  /** The name of the token, `owner` for the owner's, or the user of the machine who typed a command. */
  readonly who: string;
  readonly via: 'token' | 'command';
  /** Where a request came from; `local` over a Unix socket. */
  readonly address?: string;
  /** The method and the route of a request, such as `DELETE /api/sessions/{id}`, or a command. */
  readonly what: string;
  /** The id of the session, plan, run, job or token that it was about. */
  readonly subject?: string;
  /** The run that came of it, which can be undone. */
  readonly run?: string;
  /** What else there is to know, such as the scopes of a token. */
  readonly detail?: string;
  /** `failed` may have changed something, `refused` has not. */
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly status?: number;
  /** As in the answer and in the log; of the last one where the record stands for several. */
  readonly requestId?: string;
  /** How many requests of one kind the record stands for, where that is more than one. */
  readonly count?: number;
}

export interface AuditQuery {
  /** At this time or later. */
  readonly since?: EpochMs;
  readonly who?: string;
  readonly limit?: number;
}
