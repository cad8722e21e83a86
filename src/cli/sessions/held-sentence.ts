import type { App } from '../../app/app.ts';
import type { Decision, KeepReason } from '../../core/retention/plan.ts';
import { USES } from '../../core/sessions/in-use.ts';
import type { CommandInput } from '../command.ts';
import { hintCommand } from '../hint-command.ts';
import { REASON_WORDS } from '../../core/retention/words.ts';

/** Why a session that a person named stays, and what to do first. The arguments are all that were named. */
export async function heldSentence(
  home: App,
  { item, reason }: Decision,
  { global, args: named }: CommandInput<object>,
): Promise<string> {
  const first = (...words: readonly string[]) => `First: ${hintCommand(global, 'sessions', ...words, item.id)}`;
  if (home.foreign !== undefined && OWNERS.has(reason))
    return `It stays: ${REASON_WORDS[reason]}. Change that in ${home.foreign.agent} first.`;
  if (reason === 'active')
    return `In use. First stop what uses it, then: ${hintCommand(global, 'sessions', 'end', item.id)}`;
  if (reason === 'routed') return `It answers a route: the next message there goes on in it. ${first('end')}`;
  if (reason === 'open') return `Still open. ${first('end')}`;
  if (reason === 'pinned') return `Pinned. ${first('unpin')}`;
  const { lineage } = reason === 'lineage-kept' ? await home.explain(item.id) : { lineage: [] };
  const missing = lineage.flatMap(({ id }) => (named.includes(id) ? [] : [id]));
  if (missing.length > 0) return `A conversation goes only as a whole. Name these too: ${missing.join(' ')}`;
  return `It stays: ${REASON_WORDS[reason]}. See why with: ${hintCommand(global, 'explain', item.id)}`;
}

/** What only the agent that writes a session can change about it. */
const OWNERS: ReadonlySet<string> = new Set<KeepReason>([...USES, 'pinned']);
