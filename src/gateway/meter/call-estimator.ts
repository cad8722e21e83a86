import type { AnswerUsage } from './model-api.ts';

/** What a call is expected to use, in tokens. */
export interface CallEstimate {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Calls of the same model have shown how many tokens a request of that size has. */
  readonly certain: boolean;
}

/** A request as far as it was looked at. */
export interface CallRequest {
  readonly model: string;
  readonly bytes: number;
  /** The most that may be answered, where the request says so. */
  readonly maxOutput?: number | undefined;
}

/** Fewer bytes than a token of English or code has, so that a guess errs high. */
const BYTES_PER_TOKEN = 3.5;
const FIRST_OUTPUT = 1000;

/** Learns from each call what the next will use: agents send the same again, with a little more. */
export function createCallEstimator() {
  const learnt = new Map<string, { tokensPerByte: number; outputTokens: number }>();
  return {
    estimate({ model, bytes, maxOutput = Infinity }: CallRequest): CallEstimate {
      const known = learnt.get(model);
      const inputTokens = Math.ceil(bytes * (known?.tokensPerByte ?? 1 / BYTES_PER_TOKEN));
      const outputTokens = Math.min(maxOutput, known?.outputTokens ?? FIRST_OUTPUT);
      return { inputTokens, outputTokens, certain: known !== undefined };
    },
    learn({ model, bytes }: CallRequest, usage: AnswerUsage): void {
      const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage;
      const tokensPerByte = (inputTokens + cacheReadTokens + cacheWriteTokens) / Math.max(1, bytes);
      learnt.set(model, { tokensPerByte, outputTokens });
    },
  };
}
