import { OK, VERDICT_KINDS, type Verdict, type VerdictKind } from '../core/gateway/gateway.ts';
import { verdictOf } from './verdict-of.ts';

/** One verdict from many: the strictest kind wins, and every cause stays, the strictest first. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  const heard = verdicts.filter(({ kind }) => kind !== 'ok');
  if (heard.length < 2) return heard[0] ?? OK;
  const ordered = heard.toSorted((a, b) => strictness(b.kind) - strictness(a.kind));
  const kind = ordered[0]?.kind ?? 'ok';
  return kind === 'ok' ? OK : verdictOf(kind, ...ordered.flatMap(({ causes }) => causes));
}

/** Whether a verdict forbids the next step in this session. */
export function forbids({ kind }: Verdict): boolean {
  return kind === 'reset' || kind === 'stop';
}

function strictness(kind: VerdictKind): number {
  return VERDICT_KINDS.indexOf(kind);
}
