import { describe, expect, it } from 'vitest';
import { oldHomes } from './old-home.ts';
import { coppice } from './run-coppice.ts';

const { template } = oldHomes();

/** Refused lines: what was typed, the exit code, the sentence, and the next step. */
const REFUSED: readonly [line: string, code: number, says: RegExp, hint: RegExp][] = [
  ['apply', 2, /<plan> is missing: id that coppice plan printed/, /with: coppice plan/],
  ['apply 0000000000000000', 10, /There is no saved plan 0000000000000000\./, /coppice plan/],
  ['apply nowhere.json', 10, /There is no plan .*nowhere\.json\./, /id that coppice plan printed/],
  ['apply ..', 10, /There is no plan /, /id that coppice plan printed/],
  ['plan --out no/such/plan.json', 2, /The folder .* does not exist\./, /Create it first/],
  ['explain nobody', 10, /There is no session with the id or title nobody\./, /coppice sessions list/],
  ['undo nothing --yes', 10, /There is no run nothing\./, /coppice runs/],
  ['undo', 10, /There is nothing to undo/, /coppice runs/],
  ['runs show', 2, /<run> is missing: whole id of the run\./, /List them with: coppice runs/],
  ['runs show nothing', 10, /There is no run nothing\./, /coppice runs/],
  ['trash restore nothing', 10, /There is no run nothing\./, /coppice runs/],
  ['trash empty', 2, /not said what to empty/, /--expired .* --all/],
  ['trash empty --expired --all', 2, /Only one can be chosen/, /--expired .* --all/],
  ['trash empty nothing --yes', 10, /There is no run nothing\./, /coppice runs/],
  ['sessions delete', 2, /Say which sessions: by their ids, or by options/, /See them with: coppice sessions list/],
  ['sessions prune --older-than soon', 2, /--older-than takes a date or an age/, /--older-than 90d/],
  ['sessions prune --older-than 5m', 2, /could mean minutes or months/, /--older-than 5min/],
  ['sessions prune --older-than 0', 2, /--older-than 0 would be everything/, /--older-than 90d/],
  ['sessions prune --older-than 2999-01-01', 2, /would be everything/, /--older-than 90d/],
  ['sessions prune --older-than -5', 2, /--older-than takes a date or an age/, /--older-than 90d/],
  ['sessions prune --max-messages 0', 2, /whole number above zero/, /--max-messages 20/],
  ['sessions prune --files-only --include-files', 2, /--files-only keeps them/, /Leave one of the two out/],
  ['sessions gc --empty-hours 0', 2, /whole number above zero/, /--empty-hours 20/],
  ['sessions gc --trivial-days x', 2, /whole number above zero/, /--trivial-days 20/],
  ['plan --set sessions.retention_days=0', 2, /sessions\.retention_days/, /coppice config check/],
];

describe('a line that is refused', () => {
  it.concurrent.each(REFUSED)('%j exits %i with a sentence and the next step', async (line, code, says, hint) => {
    const result = await coppice(template, line.split(' '));
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    const [sentence = '', ...rest] = result.stderr.split('\n');
    expect(sentence).toMatch(says);
    expect(rest.join('\n')).toMatch(hint);
  });
});
