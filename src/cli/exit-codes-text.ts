import { FAILURES, INTERRUPTED } from '../core/failure.ts';

/** Every exit code and what it means, as help shows it. */
export function exitCodesText(): string {
  const meanings = new Map<number, string>([[0, 'done']]);
  for (const { exit, meaning } of Object.values(FAILURES)) {
    const other = meanings.get(exit);
    meanings.set(exit, other === undefined ? meaning : `${other}; or ${meaning}`);
  }
  meanings.set(INTERRUPTED, 'interrupted');
  return ['Exit codes:', ...Array.from(meanings, ([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`)].join(
    '\n',
  );
}
