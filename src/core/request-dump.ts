import type { JsonValue } from './json.ts';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What went to a model and what came back, kept for finding out later what went wrong. */
export interface RequestDump {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Headers;
  readonly body?: JsonValue;
  readonly response?: { readonly status?: number; readonly headers?: Headers; readonly body?: JsonValue };
  readonly error?: string;
}
