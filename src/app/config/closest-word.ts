/** The word a person most likely meant, or undefined when nothing comes close. Case, dashes and camelCase do not count. */
export function closestWord(word: string, words: readonly string[]): string | undefined {
  const wanted = snakeCase(word);
  let closest: string | undefined;
  let allowed = Math.max(1, Math.floor(wanted.length / 3));
  for (const candidate of words) {
    const distance = editDistance(wanted, snakeCase(candidate));
    if (distance > allowed) continue;
    closest = candidate;
    allowed = distance - 1;
  }
  return closest;
}

/** One spelling for `retentionDays`, `retention-days` and `Retention_Days`. */
export function snakeCase(word: string): string {
  return word
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s-]+/g, '_')
    .toLowerCase();
}

/** Levenshtein distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(row, column - 1) + (from[index] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, at(row, column) + 1, at(next, column - 1) + 1));
    }
    row = next;
  }
  return at(row, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
