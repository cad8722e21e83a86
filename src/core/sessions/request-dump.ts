import type { JsonValue } from '../json.ts';
import type { HeaderFields } from '../redact.ts';

/** What went to a model and what came back, kept for finding out later what went wrong. */
export interface RequestDump {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: HeaderFields;
  readonly body?: JsonValue;
  readonly response?: { readonly status?: number; readonly headers?: HeaderFields; readonly body?: JsonValue };
  readonly error?: string;
}
