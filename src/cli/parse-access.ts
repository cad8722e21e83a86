import { SCOPES, type Scope } from '../core/access.ts';
import { Failure } from '../core/failure.ts';
import type { EpochMs } from '../core/time.ts';
import { parseChoice, parseDate } from './parse-values.ts';

/** `read,append`, each once, in the order of the list of scopes. */
export function parseScopes(name: string, text: string): readonly Scope[] {
  const given = new Set(text.split(',').map((word) => parseChoice(name, word.trim(), SCOPES)));
  return SCOPES.filter((scope) => given.has(scope));
}

/** The longest that a time may lie ahead: what lies further is a slip of the hand. */
const MOST_YEARS = 100;

/** A date that is to come, or a time from now on; a bare number is days. */
export function parseFuture(name: string, text: string, now: EpochMs): EpochMs {
  const at = parseDate(name, text, now);
  // An age is counted back from now: as far as it reaches back, as far it lies ahead.
  const until = /^\d+ ?[a-z]*$/i.test(text) ? 2 * now - at : at;
  const latest = new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + MOST_YEARS);
  if (until > now && until <= latest) return until;
  throw new Failure(
    'usage',
    `${name} takes a time that is to come, at most ${MOST_YEARS} years from now, not '${text}'.`,
    {
      hint: `For example: ${name} 30d or ${name} 12h`,
    },
  );
}
