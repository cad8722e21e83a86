import type { JsonValue } from './json.ts';

/** True when values stand inside one another more than `levels` deep. Needs no stack, unlike writing such a value. */
export function nestedDeeper(value: JsonValue, levels: number): boolean {
  let layer = containers([value]);
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth === levels) return true;
    layer = layer.flatMap((container) => containers(Object.values(container)));
  }
  return false;
}

function containers(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
