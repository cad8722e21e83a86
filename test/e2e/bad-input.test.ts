import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { NOBODY, PERMISSIONS_BIND } from '../support/nobody.ts';
import { makeExampleHome } from './example-home.ts';
import { coppice, type Finished, sandbox } from './run-coppice.ts';

const root = sandbox();
const home = join(root, 'home');
const full = join(root, 'full');

beforeAll(async () => {
  await makeExampleHome(home);
  mkdirSync(full);
  writeFileSync(join(full, 'letter.txt'), 'mine');
  writeFileSync(join(root, 'there.jsonl'), 'mine');
});

/** Refused lines: what was typed, the exit code, the sentence, and the next step. */
const REFUSED: readonly [line: string, code: number, says: RegExp, hint: RegExp][] = [
  ['sesions list', 2, /Unknown command 'sesions'\./, /Did you mean sessions\? Run: coppice --help/],
  ['sessions lst', 2, /Unknown command 'lst'\./, /Did you mean list\? Run: coppice sessions --help/],
  ['frobnicate', 2, /Unknown command 'frobnicate'\./, /Run: coppice --help/],
  ['sessions list --limt 3', 2, /Unknown option '--limt'\./, /Did you mean --limit\?/],
  ['sessions list --limit', 2, /--limit.* needs a value\./, /Run: coppice sessions list --help/],
  ['sessions list extra', 2, /'extra' is more than coppice sessions list takes\./, /Run: coppice sessions list --help/],
  ['sessions show', 2, /<id> is missing: id of the session/, /coppice sessions list/],
  ['sessions search', 2, /<words> is missing: words, /, /Run: coppice sessions search --help/],
  ['sessions export', 2, /Say which sessions: by their ids, or by options/, /coppice sessions list/],
  ['sessions import', 2, /Nothing to import was named\./, /or a Hermes, .* home with --from ~\/\.hermes/],
  ['sessions rename many', 2, /<title> is missing: /, /Run: coppice sessions rename --help/],
  ['sessions list --limit 0', 2, /--limit takes a whole number above zero, not '0'\./, /For example: --limit 20/],
  ['sessions list --limit x', 2, /--limit takes a whole number above zero, not 'x'\./, /For example: --limit 20/],
  ['sessions list --limit 1.5', 2, /--limit takes a whole number/, /For example: --limit 20/],
  ['sessions list --since yesterday', 2, /--since takes a date or an age/, /--since 2026-01-31 or --since 90d/],
  ['sessions list --since 2026-02-30', 2, /--since takes a date or an age/, /--since 2026-01-31 or --since 90d/],
  ['sessions list --since 5m', 2, /'5m' could mean minutes or months\./, /write: --since 5min/],
  [
    'sessions list --sort big',
    2,
    /--sort cannot be 'big'\./,
    /Choose one of: last, size, messages, tokens, cost, bytes\./,
  ],
  ['sessions show many --messages 0', 2, /--messages takes a whole number/, /For example: --messages 20/],
  ['sessions export many --format pdf', 2, /--format cannot be 'pdf'\./, /Choose one of: jsonl, md, html\./],
  [
    'sessions export many --out there.jsonl',
    5,
    /there\.jsonl already exists and was left as it is\./,
    /Choose another/,
  ],
  ['sessions export many --out no/such/f.jsonl', 2, /The folder .*no\/such does not exist\./, /Create it first/],
  [
    'sessions export many nobody --out new.jsonl',
    10,
    /no session with the id or title nobody\./,
    /coppice sessions list/,
  ],
  ['sessions import nowhere.jsonl', 2, /There is no file or folder .*nowhere\.jsonl\./, /Check the name/],
  ['sessions show nobody', 10, /There is no session with the id or title nobody\./, /coppice sessions list/],
  ['sessions tail nobody', 10, /There is no session with the id or title nobody\./, /coppice sessions list/],
  ['sessions end nobody', 10, /There is no session with the id or title nobody\./, /coppice sessions list/],
  ['sessions pin nobody', 10, /There is no session with the id or title nobody\./, /coppice sessions list/],
  ['sessions show alpha', 2, /Several sessions could be meant by alpha:$/, /Give more characters/],
  ['sessions tag many', 2, /There is no tag to add or remove\./, /--add work/],
  ['sessions rename many TWO\u0007LINES', 2, /title contains control characters/, /Remove them/],
  ['sessions list --set nonsense', 2, /--set takes key=value, not 'nonsense'\./, /--set sessions\.retention_days=30/],
  [
    'sessions list --set sessions.retention_dayz=3',
    2,
    /Did you mean sessions\.retention_days\?/,
    /coppice config check/,
  ],
  ['sessions list --set sessions.retention_days=0', 2, /sessions\.retention_days/, /coppice config check/],
  ['sessions list --home /does/not/exist', 10, /no Coppice home at \/does\/not\/exist\./, /coppice config init --home/],
  ['sessions list --home full', 5, /full holds files that Coppice did not write/, /Nothing was changed\. .*--home DIR/],
  ['sessions import full --home full', 5, /full holds files that Coppice did not write/, /Nothing was changed\./],
  ['config init --home full', 5, /full holds files that Coppice did not write/, /Nothing was changed\./],
  ['config init --home there.jsonl', 5, /there\.jsonl is not a folder\./, /--home DIR/],
  ['completion tcsh', 2, /The shell cannot be 'tcsh'\./, /Choose one of: bash, zsh, fish\./],
];

describe('a line that is refused', () => {
  it.concurrent.each(REFUSED)('%j exits %i with a sentence and the next step', async (line, code, says, hint) => {
    const result = await coppice(home, line.split(' '));
    expectRefusal(result, code);
    const [sentence = '', ...rest] = result.stderr.split('\n');
    expect(sentence).toMatch(says);
    expect(rest.join('\n')).toMatch(hint);
  });

  it('is one line of JSON on stderr for programs', async () => {
    const { code, stdout, stderr } = await coppice(home, ['sessions', 'show', 'nobody', '--json']);
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ schemaVersion: 1, error: { code: 'not-found', exitCode: 10 } });
  });

  it('has left every file as it was', () => {
    expect(readdirSync(full)).toEqual(['letter.txt']);
    expect(readFileSync(join(root, 'there.jsonl'), 'utf8')).toBe('mine');
    expect(readdirSync(root).toSorted()).toEqual(['full', 'home', 'there.jsonl']);
    expect(existsSync('/does/not/exist')).toBe(false);
  });
});

describe('a home that cannot be used', () => {
  it('is refused when it is a file', async () => {
    const result = await coppice(join(root, 'there.jsonl'), ['sessions', 'list']);
    expectRefusal(result, 5);
    expect(result.stderr).toMatch(/there\.jsonl is not a folder\.\n.*--home DIR/);
  });

  it('is refused when a newer version wrote it', async () => {
    const newer = copyHome('newer');
    const database = new BetterSqlite3(join(newer, 'state.db'));
    database.pragma('user_version = 999');
    database.close();
    const result = await coppice(newer, ['sessions', 'list']);
    expectRefusal(result, 12);
    expect(result.stderr).toMatch(/newer/);
  });

  it('is changed by nobody while there are mistakes in its configuration, each told by line', async () => {
    const mistaken = copyHome('mistaken');
    writeFileSync(join(mistaken, 'config.yaml'), 'sessions:\n  retention_dayz: 30\n  empty_hours: soon\n');
    const listed = await coppice(mistaken, ['sessions', 'list']);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('many') as string });
    expect(listed.stderr).toMatch(/sessions\.empty_hours/);
    const { code, stdout, stderr } = await coppice(mistaken, ['sessions', 'rename', 'many', 'New']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^coppice: .*config\.yaml:2:\d+: .*Did you mean sessions\.retention_days\?\n/);
    expect(stderr).toMatch(/config\.yaml:3:\d+: sessions\.empty_hours: /);
    expect(stderr).toMatch(/\nNothing was changed\. Fix it and run: coppice config check\n$/);
  });

  it.runIf(PERMISSIONS_BIND)('is refused when it may not be written', async () => {
    const readOnly = copyHome('read-only');
    chmodSync(root, 0o755);
    chmodSync(join(readOnly, 'state.db'), 0o444);
    chmodSync(readOnly, 0o555);
    const result = await coppice(readOnly, ['sessions', 'rename', 'many', 'New'], NOBODY);
    chmodSync(readOnly, 0o700);
    expectRefusal(result, 5);
    expect(result.stderr).toMatch(
      /You may not read or write .*, or its disk is read-only\.\nNothing was changed\. Check who owns it/,
    );
  });
});

describe('a damaged export', () => {
  it('imports nothing, says where it is damaged, and exits 3', async () => {
    const other = join(root, 'other');
    const file = join(root, 'damaged.jsonl');
    await coppice(home, ['sessions', 'export', 'many', '--out', file]);
    truncateSync(file, 1200);
    const { code, stdout, stderr } = await coppice(other, ['sessions', 'import', file]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'Imported nothing. 1 could not be imported.\n' });
    expect(stderr).toMatch(/^coppice: .*damaged\.jsonl.*\n.*Export the session again/);
    expect((await coppice(other, ['sessions', 'list'])).stdout).toContain('There are no sessions yet.');
  });
});

/** One plain sentence and a next step on stderr, nothing on stdout, no stack. */
function expectRefusal({ code, stdout, stderr }: Finished, expected: number): void {
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
  // Between the sentence and the next step may stand what the sentence speaks of, one on each line.
  expect(stderr).toMatch(/^coppice: .+\n(?: {2}.+\n)*\S.+\n$/);
  expect(stderr).not.toMatch(/^ +at |node:internal|undefined/m);
}

function copyHome(name: string): string {
  const copy = join(root, name);
  cpSync(home, copy, { recursive: true });
  chmodSync(copy, 0o700);
  return copy;
}
