import { realpathSync } from 'node:fs';

/** The path without links in it. What is gone or cannot be reached is named as it was. */
export function realPathIfThere(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
