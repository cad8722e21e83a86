import type { Api } from '../http/route-table.ts';
import type { Transport } from './transport.ts';

/** A method and a path of the API, as its description has them. */
export type Operation = keyof Api;

/** The document that an operation answers with. */
export type Answer<O extends Operation> = Api[O]['answer'];

export type Query<O extends Operation> = Api[O]['query'];
export type Body<O extends Operation> = Api[O]['body'];

/** What an operation that takes long tells meanwhile. */
export type Step<O extends Operation> = Api[O]['step'];

/** What a call needs: an id where the path has one, a query and a body where the operation takes them. */
export type Given<O extends Operation> = (O extends `${string}{id}${string}` ? { readonly id: string } : object) &
  (undefined extends Query<O> ? object : { readonly query?: Sent<Query<O>> }) &
  (undefined extends Body<O> ? object : { readonly body: Sent<Body<O>> }) & {
    readonly signal?: AbortSignal | undefined;
    /** Told of each step. */
    readonly onStep?: (step: Step<O>) => void;
  };

/** What is undefined is not sent, lists may be read-only, and a yes or no may be one. */
export type Sent<T> = T extends 'true' | 'false'
  ? boolean
  : T extends readonly (infer Item)[]
    ? readonly Sent<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Sent<T[K]> | undefined }
      : T;

/** Calls an operation of the API. */
export type CallApi = <O extends Operation>(operation: O, given: Given<O>) => Promise<Answer<O>>;

export function createCall(transport: Transport): CallApi {
  return async <O extends Operation>(operation: O, given: Given<O>) => {
    const { id, ...rest } = given as Given<O> & { readonly id?: string };
    const [method, path] = placeOf(operation, id);
    return (await transport.json({ ...rest, method, path })) as Answer<O>;
  };
}

/** An id may hold any character. */
function placeOf(operation: string, id = ''): ['GET' | 'POST' | 'PATCH', string] {
  const [method = '', path = ''] = operation.split(' ');
  return [method as 'GET', path.replace('{id}', () => encodeURIComponent(id))];
}
