import type { IncomingMessage } from 'node:http';
import { FAILURES, Failure, type FailureCode } from '../core/failure.ts';

type OnStep = ((step: never) => void) | undefined;

/** The document that a daemon answered with, and the steps before it where it took long. An error is a `RemoteFailure`. */
export function readAnswer(response: IncomingMessage, onStep?: OnStep): Promise<unknown> {
  return response.headers['content-type'] === 'application/jsonl' ? lastOf(response, onStep) : documentOf(response);
}

async function documentOf(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const document: unknown = parse(Buffer.concat(chunks).toString('utf8'));
  const status = response.statusCode ?? 0;
  if (status < 400) return withoutVersion(document);
  throw new RemoteFailure(status, document, { retryAfter: response.headers['retry-after'] });
}

/** Tells the steps as they come; what comes last is the answer, or why there is none. */
async function lastOf(response: IncomingMessage, onStep: OnStep): Promise<unknown> {
  let last: object | undefined;
  for await (const line of wholeLines(response)) {
    if (line === '') continue;
    const { step, answer, ...failed } = JSON.parse(line) as { step?: never; answer?: object; status?: number };
    if (failed.status !== undefined) throw new RemoteFailure(failed.status, failed, { isHalfway: true });
    if (step !== undefined) onStep?.(step);
    last = answer;
  }
  if (last !== undefined) return withoutVersion(last);
  throw stoppedHalfway();
}

/** Once a daemon has told of its work, nobody asks it to begin again: what was told would be told twice. */
async function* wholeLines(response: IncomingMessage): AsyncGenerator<string> {
  try {
    yield* linesOf(response);
  } catch (error) {
    throw stoppedHalfway(error);
  }
}

function stoppedHalfway(cause?: unknown): Failure {
  return new Failure('failed', 'The daemon stopped before it had answered.', {
    hint: 'What it had begun is in order. See how far it came with: coppice runs',
    cause: cause === undefined ? undefined : new Error('cut off', { cause }),
  });
}

/** A line may be as long as a whole plan, so it is put together once. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let parts: string[] = [];
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    const [first = '', ...rest] = chunk.split('\n');
    parts.push(first);
    for (const next of rest) {
      yield parts.join('');
      parts = [next];
    }
  }
}

/** The version is for programs that speak to the API themselves. */
function withoutVersion(document: unknown): unknown {
  const { schemaVersion: _, ...rest } = document as { readonly schemaVersion: number };
  return rest;
}

/** An error that the daemon answered with. */
export class RemoteFailure extends Failure {
  readonly status: number;
  /** What it is called where HTTP has a name of its own for it. */
  readonly refusal: string;
  /** In how many seconds it may go well, where the daemon says so. */
  readonly retryAfterSeconds: number | undefined;

  /** It came after steps of the work, which nobody asks for again: they would be told twice. */
  readonly isHalfway: boolean;

  constructor(
    status: number,
    document: unknown,
    { retryAfter, isHalfway = false }: { readonly retryAfter?: string | undefined; readonly isHalfway?: boolean } = {},
  ) {
    const { code = '', message = `The daemon answered with status ${status}.`, hint } = errorOf(document);
    super(Object.hasOwn(FAILURES, code) ? (code as FailureCode) : (CODE_OF[status] ?? 'refused'), message, {
      ...(hint !== undefined && { hint }),
    });
    this.status = status;
    this.refusal = code;
    this.isHalfway = isHalfway;
    this.retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
  }
}

/** What HTTP itself refuses has no failure of its own. */
const CODE_OF: Readonly<Record<number, FailureCode>> = {
  404: 'not-found',
  405: 'usage',
  413: 'usage',
  415: 'usage',
  507: 'failed',
};

interface SentError {
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
}

function errorOf(document: unknown): SentError {
  return (document as { error?: SentError } | undefined)?.error ?? {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a daemon, or a proxy before it: the status says enough.
    return undefined;
  }
}
