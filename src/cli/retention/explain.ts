import type { Decision, Explanation, KeepReason, RuleCheck } from '../../core/retention/plan.ts';
import { USES } from '../../core/sessions/in-use.ts';
import { SESSION_HOLDS } from '../../core/sessions/session-hold.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatBytes, plural } from '../print/format.ts';
import type { TextOutput } from '../io.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { sessionLabel } from '../sessions/session-label.ts';
import { renderTable } from '../print/table.ts';
import { withAppToLook } from '../with-app.ts';
import { ACTION_WORDS, KIND_WORDS, REASON_WORDS } from '../../core/retention/words.ts';
import { holdSentence } from './words.ts';

/** `coppice explain ID`: every rule that was asked about one item, and which one decided. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  return withAppToLook(input, async (home) => {
    const explanation = await home.explain(args[0] ?? '');
    const { item } = explanation.decision;
    if (global.json) writeJson(io.out, explanation);
    else {
      const facts = await home.sessions.get(item.id);
      const about =
        facts === undefined ? '' : `${facts.source}, last active ${formatAge(facts.lastActiveAt, io.clock.now())}`;
      const title = facts === undefined ? KIND_WORDS[item.kind] : await sessionLabel(home, facts);
      printExplanation(
        io.out,
        explanation,
        [title, about, ...(facts?.hold === undefined ? [] : [holdSentence(facts.hold)])].filter((part) => part !== ''),
      );
    }
    return 0;
  });
}

function printExplanation(out: TextOutput, { decision, checks, lineage }: Explanation, about: readonly string[]): void {
  const lines = [out.colour.bold(safeText(decision.item.id)), ...about.map(safeText), verdict(decision)];
  out.write(`${lines.join('\n')}\n`);
  if (lineage.length > 0) {
    const ids = lineage.map(({ id }) => safeText(id)).join(', ');
    out.write(`It is part of a conversation that shares one fate: ${ids}\n`);
  }
  const asked = checks.filter(({ rule, met }) => rule !== 'not-selected' || met);
  const deciding = asked.findIndex((check) => decides(check, decision));
  const rows = asked.map((check, at) => [
    REASON_WORDS[check.rule],
    limitWords(check),
    answer(check) + (at === deciding ? ', so this decides' : ''),
  ]);
  const columns = [{ title: 'RULE', shrink: true }, { title: 'AFTER' }, { title: 'MET', shrink: true }];
  out.write(`\n${renderTable({ columns, rows, width: out.columns, colour: out.colour })}`);
}

function verdict({ action, reason, sizeBytes }: Decision): string {
  const size = formatBytes(sizeBytes);
  if (action === 'keep') return `Stays (${size}): ${REASON_WORDS[reason]}.`;
  return `Would go (${ACTION_WORDS[action]}, ${size}): ${REASON_WORDS[reason]}.`;
}

/** Another member of the conversation may be the one that a hold is about. */
const RULE_OF: Partial<Record<Decision['reason'], readonly RuleCheck['rule'][]>> = {
  'lineage-active': USES,
  'lineage-pinned': ['pinned'],
  'lineage-kept': [...SESSION_HOLDS, 'future', 'unreadable', 'tagged'] satisfies KeepReason[],
};

function decides({ rule, met, stoppedBy }: RuleCheck, { reason }: Decision): boolean {
  if (!met) return false;
  if (stoppedBy !== undefined) return stoppedBy === reason;
  return (RULE_OF[reason] ?? [reason]).includes(rule);
}

function answer({ met, off, stoppedBy }: RuleCheck): string {
  if (!met) return off === true ? 'no, this rule is off' : 'no';
  return stoppedBy === undefined ? 'yes' : `yes, but ${REASON_WORDS[stoppedBy]}`;
}

function limitWords({ off, limitMs: ms }: RuleCheck): string {
  if (ms === undefined) return off === true ? 'never' : '';
  return ms % DAY_MS === 0 && ms >= 2 * DAY_MS ? plural(ms / DAY_MS, 'day') : plural(Math.round(ms / HOUR_MS), 'hour');
}
