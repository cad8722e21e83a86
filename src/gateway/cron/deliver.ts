import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { errorText } from '../../core/error-text.ts';
import { firstSignal } from '../../core/first-signal.ts';
import type { Delivery, DeliveryBook } from '../../core/gateway/delivery-book.ts';
import { hideUrlSecrets } from '../../core/hide-url-secrets.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Clock, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { replaceFile } from '../../platform/files/replace-file.ts';
import { signalGroup } from '../../platform/machine/process-group.ts';
import type { DeliveryTarget } from './cron-job.ts';

/** Doubling from the first wait to the longest; after so many attempts it is given up, and stays on record. */
const FIRST_WAIT_MS = 10 * SECOND_MS;
const LONGEST_WAIT_MS = HOUR_MS;
const MOST_ATTEMPTS = 12;
const TIME_LIMIT_MS = MINUTE_MS;
/** So many are tried at once: one address that does not answer must not hold up all others. */
const MOST_AT_ONCE = 8;

export interface DeliverParts {
  readonly deliveries: DeliveryBook;
  readonly clock: Clock;
  /** What to deliver of a session; absent when the session is gone. */
  readonly outputOf: (sessionId: string) => Promise<string | undefined>;
  /** Proves to a webhook that a body came from here; absent where no secret is set. */
  readonly sign?: ((body: string, at: EpochMs) => string) | undefined;
  /** What a command is started with. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Tries only what was promised by this job, or in this name. */
  readonly only?: string | undefined;
  /** Aborted when nobody can wait any longer: what is being sent is tried again later, and says that it may have arrived. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take. */
  readonly timeLimitMs?: number;
}

export interface Parcel {
  readonly job: string;
  readonly sessionId: string;
  readonly output: string;
  /** What the output says, for programs; absent for the output of a job. */
  readonly event?: JsonObject;
  /** The same for every attempt, so that who receives it twice can tell. */
  readonly deliveryId: string;
  /** An earlier attempt may have arrived although its end was never seen. */
  readonly maybeRepeated: boolean;
}

/** What became of the deliveries that were due. */
export interface DeliverOutcome {
  /** What arrived and how, a sentence each. */
  readonly arrived: readonly string[];
  /** Why each of the others did not arrive, as a sentence. */
  readonly failures: readonly string[];
}

/** Tries everything that is due once. What fails is tried again later, each time after a longer wait. */
export async function deliverDue(parts: DeliverParts): Promise<DeliverOutcome> {
  const all = await parts.deliveries.due(parts.clock.now());
  const due = all.filter(({ job }) => parts.only === undefined || parts.only === job);
  const arrived: string[] = [];
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = due.shift(); next !== undefined && parts.signal?.aborted !== true; next = due.shift()) {
      // Marked before it is sent: after a crash it is known that it may have arrived.
      const delivery = await parts.deliveries.begin(next.id);
      if (delivery === undefined) continue;
      const { done, said } = await attempt(parts, delivery);
      (done ? arrived : failures).push(said);
    }
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
  return { arrived, failures };
}

async function attempt(
  parts: DeliverParts,
  delivery: Delivery,
): Promise<{ readonly done: boolean; readonly said: string }> {
  const { id, sessionId, job, attempts } = delivery;
  // The target was checked when the configuration or the job was read.
  const { news, ...target } = JSON.parse(delivery.target) as PromisedTarget;
  const what = news === undefined ? `the output of ${sessionId}` : 'an alert on a budget';
  try {
    const output = news?.output ?? (await parts.outputOf(sessionId));
    if (output === undefined) throw new Error('the session is gone');
    const event = news && { event: news.event };
    const parcel = { job, sessionId, output, ...event, deliveryId: id, maybeRepeated: attempts > 1 };
    parts.signal?.throwIfAborted();
    await send(target, parcel, parts);
    await parts.deliveries.delivered(id);
    return { done: true, said: `Delivered ${what} by ${target.kind}.` };
  } catch (error) {
    const said = parts.signal?.aborted === true ? 'the daemon was stopped' : errorText(error);
    const retryAt = nextAttemptAt(attempts, parts.clock.now());
    await parts.deliveries.failed(id, said, retryAt);
    const next = retryAt === undefined ? 'It was tried often enough.' : 'It is tried again.';
    return { done: false, said: `${upperFirst(what)} did not arrive: ${said}. ${next}` };
  }
}

/** A target as it is promised: with what goes there, where that is not what a session said. */
export type PromisedTarget = DeliveryTarget & {
  readonly news?: { readonly output: string; readonly event: JsonObject };
};

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** When to try again after so many attempts; undefined when it was tried often enough. */
export function nextAttemptAt(attempts: number, now: EpochMs): EpochMs | undefined {
  if (attempts >= MOST_ATTEMPTS) return undefined;
  return now + Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
}

function send(target: DeliveryTarget, parcel: Parcel, parts: DeliverParts): Promise<void> {
  if (target.kind === 'webhook') return post(target.url, parcel, parts);
  if (target.kind === 'command') return pipeInto(target, parcel, parts);
  return writeOut(target.path, parcel);
}

/** `{job}` and `{session}` in the path are filled in; each run replaces its file in one step, where a link leads too. */
async function writeOut(path: string, { job, sessionId, output }: Parcel): Promise<void> {
  const place = path.replaceAll('{job}', fileName(job)).replaceAll('{session}', fileName(sessionId));
  replaceFile(place, output);
}

/** A name can hold anything, a file name must stay one. */
function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]/gu, '_').replace(/^\.+/, '_');
}

async function post(
  url: string,
  parcel: Parcel,
  { sign, clock, signal, timeLimitMs = TIME_LIMIT_MS }: DeliverParts,
): Promise<void> {
  const { address, authorization } = addressOf(url);
  const body = JSON.stringify(parcel);
  const signed = sign && { 'coppice-signature': sign(body, clock.now()) };
  using limit = firstSignal(AbortSignal.timeout(timeLimitMs), signal);
  const sent = fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': parcel.deliveryId, ...authorization, ...signed },
    body,
    redirect: 'error',
    signal: limit.signal,
  });
  const answer = await sent.catch((error: unknown) => {
    throw unreachable(url, error);
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`);
}

/** A user and a password in an address are sent as a header: what comes with them in it is no address to send to. */
function addressOf(url: string): { readonly address: URL; readonly authorization: Readonly<Record<string, string>> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address, authorization: {} };
  address.username = '';
  address.password = '';
  const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { address, authorization: { authorization: `Basic ${Buffer.from(both).toString('base64')}` } };
}

/** Why nobody answered is in the cause. Of the address only the host is told: the rest may hold a secret. */
function unreachable(url: string, error: unknown): Error {
  const { host } = new URL(url);
  if (error instanceof Error && error.name === 'TimeoutError')
    return new Error(`the webhook at ${host} did not answer in time`);
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const why = errorCode(cause) ?? hideUrlSecrets(errorText(cause));
  return new Error(`the webhook at ${host} could not be reached (${why})`);
}

function pipeInto(
  { command, workdir }: Extract<DeliveryTarget, { kind: 'command' }>,
  parcel: Parcel,
  { env: given = process.env, signal, timeLimitMs = TIME_LIMIT_MS }: DeliverParts,
): Promise<void> {
  const [program = '', ...args] = command;
  const env = {
    ...given,
    COPPICE_JOB: parcel.job,
    COPPICE_SESSION_ID: parcel.sessionId,
    COPPICE_DELIVERY_ID: parcel.deliveryId,
    COPPICE_MAYBE_REPEATED: parcel.maybeRepeated ? '1' : '0',
  };
  const child = spawn(program, args, { cwd: workdir, env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Whoever ignores a polite request would hold up everything that is done by the clock. Not the time limit of spawn: that one
  // goes on ticking when there is no such program.
  const kill = () => void signalGroup(child.pid ?? 0, 'SIGKILL');
  const limit = setTimeout(kill, timeLimitMs);
  signal?.addEventListener('abort', kill);
  return new Promise((done, fail) => {
    const settle = () => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', kill);
      child.stdin.destroy();
    };
    child.on('error', (error) => {
      settle();
      fail(notStarted(program, { workdir, error }));
    });
    // Not when its input is closed: something that it leaves behind may keep that open.
    child.on('exit', (code, killedBy) => {
      settle();
      if (code === 0) done();
      else fail(new Error(`the command ended with ${code ?? killedBy}`));
    });
    // A command that does not read its input is judged by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(parcel.output);
  });
}

function notStarted(
  program: string,
  { workdir, error }: { readonly workdir: string | undefined; readonly error: Error },
): Error {
  if (workdir !== undefined && !existsSync(workdir)) return new Error(`the folder ${workdir} is gone`);
  return errorCode(error) === 'ENOENT' ? new Error(`there is no command ${program}`, { cause: error }) : error;
}
