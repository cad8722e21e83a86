/** A promise that is settled from outside; only the first time counts. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

export function deferred<Value>(): Deferred<Value> {
  let settle: readonly [Deferred<Value>['resolve'], Deferred<Value>['reject']] | undefined;
  const promise = new Promise<Value>((...both) => {
    settle = both;
  });
  return { promise, resolve: (value) => settle?.[0](value), reject: (error) => settle?.[1](error) };
}
