import type { z } from 'zod';
import { configJsonSchema, type JsonSchema } from './config-json-schema.ts';
import { configSchema } from './config-schema.ts';
import { quote } from './config-values.ts';
import { type KeySuggestion, suggestKey } from './suggest-key.ts';

export interface ConfigProblem {
  readonly path: readonly PropertyKey[];
  /** Whether the key itself is wrong, or what it is set to. */
  readonly part: 'key' | 'value';
  readonly message: string;
}

/** Writes the path of a suggested key the way the level spells keys. `written` is the unknown path it would replace. */
export type SpellKey = (meant: readonly string[], written: readonly PropertyKey[]) => string;

/** Everything that is wrong with one level of the configuration. An empty section is allowed. */
export function checkConfigData(data: unknown, spell: SpellKey): readonly ConfigProblem[] {
  const result = configSchema.safeParse(data, { reportInput: true });
  const suggest = suggestions();
  const problems = (result.error?.issues ?? []).flatMap((issue) => explain(issue, { spell, suggest }));
  // A number can break two rules at once, such as whole and at least 1; one sentence covers both.
  return [...new Map(problems.map((problem) => [problem.path.join('\0'), problem])).values()];
}

interface Advice {
  readonly spell: SpellKey;
  readonly suggest: (unknown: readonly string[]) => KeySuggestion;
}

/** One schema for all keys that nobody knows, made for the first of them. */
function suggestions(): Advice['suggest'] {
  let schema: JsonSchema | undefined;
  return (unknown) => suggestKey(unknown, (schema ??= configJsonSchema()));
}

function explain(issue: z.core.$ZodIssue, advice: Advice): readonly ConfigProblem[] {
  const { path, input } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const unknown = [...path, key];
      return { path: unknown, part: 'key', message: explainUnknownKey(unknown, advice) };
    });
  }
  if (issue.code === 'invalid_key') {
    return [{ path, part: 'key', message: issue.issues[0]?.message ?? issue.message }];
  }
  if (issue.code !== 'invalid_type' || !['object', 'record'].includes(issue.expected)) {
    return [{ path, part: 'value', message: issue.message }];
  }
  if (input === null) return [];
  const message =
    path.length === 0
      ? `${quote(input)} is not possible here. The file must hold sections with keys, such as sessions:.`
      : `${quote(input)} is not possible here. This is a section: write its keys under it, indented.`;
  return [{ path, part: 'value', message }];
}

function explainUnknownKey(unknown: readonly PropertyKey[], { spell, suggest }: Advice): string {
  const { path, unit, known } = suggest(unknown.map(String));
  const problem = 'There is no such key.';
  if (path === undefined) return `${problem} Known keys here: ${known.join(', ')}.`;
  return `${problem} Did you mean ${spell(path, unknown)}?${unit === undefined ? '' : ` Its unit is ${unit}.`}`;
}
