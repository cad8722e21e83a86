import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { type KeptGuards, NOTHING_KEPT } from './guards.ts';
import { NO_HOURLY_RATE, type Rate } from './rate.ts';
import type { Streak } from './streak.ts';
import type { Failures } from './tool-errors.ts';

/** Of this text; `docs/formats/live.md` is the format. */
const VERSION = 1;

/** What the guards keep, as it is written down. */
export function keptGuardsText({ toolErrors, sameTool, sameCall, tokensPerHour }: KeptGuards): string {
  const { newest, buckets } = tokensPerHour;
  return JSON.stringify({ version: VERSION, toolErrors, sameTool, sameCall, tokensPerHour: { newest, buckets } });
}

/** Reads it. What is damaged, or written by a later version, is as if nothing was kept: streaks then begin anew. */
export function readKeptGuards(text: string | undefined): KeptGuards {
  const { version, toolErrors, sameTool, sameCall, tokensPerHour } = parsed(text);
  if (version !== VERSION) return NOTHING_KEPT;
  const { open, before, batch, succeeded } = objectOf(toolErrors);
  return {
    toolErrors: {
      open: countOf(open),
      before: failuresOf(before),
      batch: failuresOf(batch),
      succeeded: succeeded === true,
    },
    sameTool: streakOf(sameTool),
    sameCall: streakOf(sameCall),
    tokensPerHour: rateOf(tokensPerHour),
  };
}

function parsed(text: string | undefined): JsonObject {
  try {
    return objectOf(JSON.parse(text ?? '{}') as JsonValue);
  } catch {
    return {};
  }
}

function failuresOf(value: JsonValue | undefined): Failures {
  const { count, tools } = objectOf(value);
  const named = Array.isArray(tools) ? tools.map(objectOf) : [];
  return {
    count: countOf(count),
    tools: named.flatMap(({ name, count: times }) =>
      typeof name === 'string' ? [{ name, count: countOf(times) }] : [],
    ),
  };
}

function streakOf(value: JsonValue | undefined): Streak {
  const { key, count } = objectOf(value);
  return typeof key === 'string' ? { key, count: countOf(count) } : { count: 0 };
}

function rateOf(value: JsonValue | undefined): Rate {
  const { newest, buckets } = objectOf(value);
  const amounts = Array.isArray(buckets) ? buckets.map(countOf) : [];
  if (amounts.length !== NO_HOURLY_RATE.buckets.length) return NO_HOURLY_RATE;
  return { ...NO_HOURLY_RATE, newest: countOf(newest), buckets: amounts };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
