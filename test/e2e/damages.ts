import {
  appendFileSync,
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { nameOfTheDead } from '../support/dead-process.ts';

/** One thing wrong with a home, what doctor says of it, and what is left of it after a repair. */
export interface Damage {
  readonly what: string;
  readonly damage: (home: string) => void;
  readonly kind: string;
  readonly says: RegExp;
  readonly code: number;
  /** The exit code after a repair, and what is found then. */
  readonly left?: { readonly code: number; readonly kinds: readonly string[] };
}

const REPAIRED = { code: 0, kinds: [] };

const GONE_HOLDER = `INSERT INTO holders VALUES ('h1', 'another machine', 'boot', 'space', 1, '1', 1);
  INSERT INTO leases SELECT key, 'h1' FROM sessions WHERE id = 'many'`;

export const DAMAGES: readonly Damage[] = [
  {
    what: 'a file that a process which died was writing',
    damage: (home) => writeFileSync(join(home, nameOfTheDead()), 'half', { mode: 0o600 }),
    kind: 'left-behind',
    says: /note  leftovers\n +A process that died left .*\/\.tmp-/,
    code: 0,
    left: REPAIRED,
  },
  {
    what: 'a transcript that lost its end',
    damage: (home) => truncateSync(transcript(home), lstatSync(transcript(home)).size - 10),
    kind: 'transcript-behind',
    says: /note  transcripts.*\n +The transcript of alpha-disk lacks 10 bytes at its end, .*The next message writes them again\./,
    code: 0,
    left: REPAIRED,
  },
  {
    what: 'a transcript with a line that was never finished',
    damage: (home) => appendFileSync(transcript(home), '{"seq":'),
    kind: 'transcript-ahead',
    says: /The transcript of alpha-disk is 7 bytes ahead of the database, .* The next message puts it right\./,
    code: 0,
    left: REPAIRED,
  },
  {
    what: 'a transcript with a line that no message stands for',
    damage: (home) => appendFileSync(transcript(home), '{"seq":5}\n'),
    kind: 'transcript-ahead',
    says: /The transcript of alpha-disk is 10 bytes ahead of the database, .* The next message puts it right\./,
    code: 0,
    left: { code: 0, kinds: ['unacknowledged'] },
  },
  {
    what: 'a transcript that was changed and lost its end',
    damage: (home) => {
      overwrite(transcript(home), 'XXXX', 2);
      truncateSync(transcript(home), lstatSync(transcript(home)).size - 10);
    },
    kind: 'transcript-damaged',
    says: /The transcript of alpha-disk is damaged in line 1\./,
    code: 12,
    left: { code: 12, kinds: ['transcript-damaged'] },
  },
  {
    what: 'a transcript that was changed and has a line that was never finished',
    damage: (home) => {
      overwrite(transcript(home), 'XXXX', 2);
      appendFileSync(transcript(home), '{"seq":');
    },
    kind: 'transcript-damaged',
    says: /The transcript of alpha-disk is damaged in line 1\./,
    code: 12,
    left: { code: 12, kinds: ['transcript-damaged'] },
  },
  {
    what: 'a transcript that was changed inside',
    damage: (home) => overwrite(transcript(home), 'XXXX', 2),
    kind: 'transcript-damaged',
    says: /The transcript of alpha-disk is damaged in line 1\./,
    code: 12,
    left: { code: 12, kinds: ['transcript-damaged'] },
  },
  {
    what: 'a transcript that is gone',
    damage: (home) => rmSync(transcript(home)),
    kind: 'transcript-missing',
    says: /The transcript of alpha-disk is missing\./,
    code: 12,
    left: REPAIRED,
  },
  {
    what: 'a file that Coppice does not write',
    damage: (home) => writeFileSync(join(dirname(transcript(home)), 'notes.txt'), 'mine'),
    kind: 'unknown-file',
    says: /alpha-disk\/notes\.txt is not a file that Coppice writes\. It is left alone\./,
    code: 0,
    left: { code: 0, kinds: ['unknown-file'] },
  },
  {
    what: 'a directory of no session',
    damage: (home) => mkdirSync(join(home, 'sessions', '00', 'nobody'), { recursive: true, mode: 0o700 }),
    kind: 'orphan',
    says: /sessions\/00\/nobody belongs to no session that the database knows\./,
    code: 0,
    left: { code: 0, kinds: ['orphan'] },
  },
  {
    what: 'what an interrupted write left',
    damage: (home) =>
      writeFileSync(join(dirname(transcript(home)), '.tmp-12-0123456789abcdef'), 'half', { mode: 0o600 }),
    kind: 'debris',
    says: /\.tmp-12-0123456789abcdef was left behind by a write that was interrupted\./,
    code: 0,
    left: { code: 0, kinds: ['debris'] },
  },
  {
    what: 'a database that others can read',
    damage: (home) => chmodSync(join(home, 'state.db'), 0o644),
    kind: 'open-to-others',
    says: /state\.db can be read by other users of this machine\.\n.*coppice doctor --repair/,
    code: 0,
    left: REPAIRED,
  },
  {
    what: 'a transcript and its folder that others can read',
    damage: (home) => {
      chmodSync(transcript(home), 0o644);
      chmodSync(dirname(transcript(home)), 0o755);
    },
    kind: 'open-to-others',
    says: /2 files and folders inside .* can be read by other users of this machine\./,
    code: 0,
    left: REPAIRED,
  },
  {
    what: 'a search index that lacks a message',
    damage: (home) =>
      changeDatabase(home, "INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', 1, 'nothing')"),
    kind: 'index-wrong',
    says: /The search index message_words does not agree with what is stored/,
    code: 12,
    left: REPAIRED,
  },
  {
    what: 'a message count that is wrong',
    damage: (home) => changeDatabase(home, "UPDATE sessions SET message_count = 7 WHERE id = 'many'"),
    kind: 'count-wrong',
    says: /Session many says it has 7 messages; 30 are there\./,
    code: 12,
    left: REPAIRED,
  },
  {
    what: 'a count of output that is wrong',
    damage: (home) => changeDatabase(home, "UPDATE sessions SET output_count = 7 WHERE id = 'many'"),
    kind: 'count-wrong',
    says: /Session many says 7 of its messages are output; 0 are\./,
    code: 12,
    left: REPAIRED,
  },
  {
    what: 'a size that is wrong',
    damage: (home) => changeDatabase(home, "UPDATE sessions SET content_bytes = 7 WHERE id = 'many'"),
    kind: 'count-wrong',
    says: /Session many says its messages take 7 bytes; they take \d+\./,
    code: 12,
    left: REPAIRED,
  },
  {
    what: 'a removal that was cut short',
    damage: (home) => {
      rmSync(dirname(transcript(home)), { recursive: true });
      changeDatabase(home, "UPDATE sessions SET state = 'removing', id = char(1) || key WHERE id = 'alpha-disk'");
    },
    kind: 'unfinished-removal',
    says: /The removal of a session is running, or was cut short\./,
    code: 0,
    left: REPAIRED,
  },
  {
    what: 'a claim of a process that is gone',
    damage: (home) => changeDatabase(home, GONE_HOLDER),
    kind: 'claim-left',
    says: /1 process that is gone is still written down as a user of sessions\. It no longer counts\./,
    code: 0,
    left: REPAIRED,
  },
  {
    what: 'a reserve that is missing',
    damage: (home) => writeFileSync(join(home, 'lock.db'), '', { mode: 0o600 }),
    kind: 'reserve-missing',
    says: /The reserve of 4 MB, which makes removing possible on a full disk, is missing\./,
    code: 0,
    left: REPAIRED,
  },
];

export function transcript(home: string): string {
  const paths = readdirSync(join(home, 'sessions'), { recursive: true, encoding: 'utf8' });
  const path = paths.find((candidate) => candidate.endsWith(join('alpha-disk', 'transcript.jsonl'))) ?? '';
  return join(home, 'sessions', path);
}

export function overwrite(path: string, text: string, at: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, text, at);
  closeSync(file);
}

export function changeDatabase(home: string, sql: string): void {
  const database = new BetterSqlite3(join(home, 'state.db'));
  database.exec(sql);
  database.close();
}
