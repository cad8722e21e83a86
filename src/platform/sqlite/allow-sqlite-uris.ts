/**
 * Makes SQLite understand `file:` addresses, which carry how to open a database. It counts only before the first database of
 * this process is opened, so whoever opens one calls it first.
 */
export function allowSqliteUris(): void {
  process.env['SQLITE_USE_URI'] ??= '1';
}
