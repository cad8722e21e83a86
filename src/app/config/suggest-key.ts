import { closestWord, snakeCase } from './closest-word.ts';
import { type JsonSchema, namedKeys } from './config-json-schema.ts';

export interface KeySuggestion {
  /** The key most likely meant, if one comes close. */
  readonly path?: readonly string[];
  /** The unit of that key, when the unknown one differs from it only there. */
  readonly unit?: string;
  /** All keys that are possible in that place. */
  readonly known: readonly string[];
}

/**
 * What someone who wrote an unknown key may have meant: a key beside it first, then the same name in another section. The schema of
 * the whole file is the caller's, because it takes milliseconds to make.
 */
export function suggestKey(path: readonly string[], root: JsonSchema): KeySuggestion {
  const name = snakeCase(path.at(-1) ?? '');
  const parent = path.slice(0, -1);
  const known = namedKeys(nodeAt(root, parent)).map(([key]) => key);
  const beside = match(name, known);
  if (beside !== undefined) return { ...suggestion(name, [...parent, beside]), known };
  const everywhere = allPaths(root, []);
  const elsewhere = match(
    name,
    everywhere.map((other) => other.at(-1) ?? ''),
  );
  const found = everywhere.find((other) => other.at(-1) === elsewhere);
  return found === undefined ? { known } : { ...suggestion(name, found), known };
}

function nodeAt(root: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((node, name) => {
    const named = namedKeys(node).find(([key]) => key === name)?.[1];
    const anyName = node?.additionalProperties;
    return named ?? (typeof anyName === 'object' ? anyName : undefined);
  }, root);
}

/** The same name, else the same name with another unit, else a similar name. */
function match(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name;
  const sameStem = (wanted: string | undefined) => names.find((other) => stem(other) === wanted);
  return sameStem(stem(name)) ?? closestWord(name, names) ?? sameStem(closestWord(stem(name), names.map(stem)));
}

const UNIT = /_(seconds|minutes|hours|days|weeks|months|years|bytes|kb|mb|gb|percent)$/;

function stem(name: string): string {
  return name.replace(UNIT, '');
}

function suggestion(name: string, path: readonly string[]): Omit<KeySuggestion, 'known'> {
  const meant = path.at(-1) ?? '';
  const unit = UNIT.exec(meant)?.[1];
  return unit !== undefined && meant !== name && stem(meant) === stem(name) ? { path, unit } : { path };
}

/** Every key outside `by_source`, sections included, in the order of the schema. */
function allPaths(node: JsonSchema, parent: readonly string[]): string[][] {
  return namedKeys(node).flatMap(([name, child]) => {
    const path = [...parent, name];
    return [path].concat(name === 'by_source' ? [] : allPaths(child, path));
  });
}
