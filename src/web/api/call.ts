import type { Answer, Given, Operation } from '../../client/api.ts';
import { ApiFailure, UNREACHABLE } from './api-failure.ts';
import { heard, known, unheard } from './connection.ts';
import { readProof } from './proof.ts';
import { readAnswer } from './read-answer.ts';

interface AnyCall {
  readonly id?: string;
  readonly query?: object;
  readonly body?: object;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: unknown) => void;
}

/** Calls an operation of the API as the browser that is signed in. What it takes and gives is what the table of routes says. */
export async function call<O extends Operation>(operation: O, given: Given<O>): Promise<Answer<O>> {
  const { id, query, body, signal, onStep } = given as AnyCall;
  const [method = 'GET', path = ''] = operation.split(' ');
  const url = `${path.replace('{id}', () => encodeURIComponent(id ?? ''))}${queryText(query)}`;
  const response = await send(url, {
    method,
    headers: {
      'x-coppice-proof': readProof(),
      accept: onStep === undefined ? 'application/json' : 'application/jsonl, application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'idempotency-key': newKey() }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  known(response);
  try {
    return (await readAnswer(response, onStep ?? ignore)) as Answer<O>;
  } catch (error) {
    throw signal?.aborted === true || error instanceof ApiFailure ? error : cutOff();
  }
}

/** One request. Where nobody answers, that is said once for the whole page. */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, { cache: 'no-cache', ...init });
    heard(response);
    return response;
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw cutOff();
  }
}

function cutOff(): ApiFailure {
  unheard();
  return new ApiFailure(UNREACHABLE);
}

function ignore(): void {}

/** The same name for the same request, so that what changes something is done once. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function queryText(query: object = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][])
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) given.append(name, String(one));
  return given.size === 0 ? '' : `?${given.toString()}`;
}
