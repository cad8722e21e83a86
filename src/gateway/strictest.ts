import { OK, VERDICT_KINDS, type Verdict, type VerdictKind } from '../core/gateway.ts';

/** One verdict from many: the strictest kind wins, and every cause and sentence stays, the strictest first. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  const heard = verdicts.filter(({ kind }) => kind !== 'ok');
  if (heard.length < 2) return heard[0] ?? OK;
  const ordered = heard.toSorted((a, b) => strictness(b.kind) - strictness(a.kind));
  return {
    kind: ordered[0]?.kind ?? 'ok',
    causes: ordered.flatMap(({ causes }) => causes),
    say: ordered.map(({ say }) => say).join(' '),
  };
}

/** Whether a verdict forbids the next step in this session. */
export function forbids({ kind }: Verdict): boolean {
  return kind === 'reset' || kind === 'stop';
}

function strictness(kind: VerdictKind): number {
  return VERDICT_KINDS.indexOf(kind);
}
