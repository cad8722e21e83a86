import { isJsonObject } from '../../core/json.ts';

/** Which level set a value. A flag wins over the environment, the environment over the file, the file over the default. */
export interface ConfigOrigin {
  readonly level: 'default' | 'file' | 'environment' | 'flag';
  /** `file:line`, the name of the variable, or the flag. */
  readonly where?: string;
}

/** The paths of all values in a configuration. A list is one value. */
export function valuePaths(group: object, parent: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) => {
    const path = [...parent, name];
    return isJsonObject(value) ? valuePaths(value, path) : [path];
  });
}
