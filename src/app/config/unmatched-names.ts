import type { Inventory } from '../../core/retention/inventory.ts';
import { KINDS } from '../../homes/kinds.ts';
import { closestWord } from './closest-word.ts';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import type { Config } from './config-schema.ts';

type Known = Pick<Inventory, 'sessions' | 'archives'>;

/**
 * Names in the configuration that nothing in the home bears, a sentence each: a tag with a slip in it protects nothing. Says
 * nothing about a home without sessions, nor about what nobody wrote.
 */
export function unmatchedNames({ sessions, disk }: Config, inventory: Known): string[] {
  const { tags, sources } = namesIn(inventory);
  if (sources.length === 0) return [];
  const lists = [
    ['sessions.keep_tags', sessions.keep_tags] as const,
    ...Object.entries(sessions.by_source).map(
      ([source, rules]) => [`sessions.by_source.${source}.keep_tags`, rules?.keep_tags ?? []] as const,
    ),
  ];
  return [
    ...lists.flatMap(([key, wanted]) => unusedTags(key, wanted, tags)),
    ...misspelt('sessions.by_source', sessions.by_source, sources),
    ...misspelt('disk.by_source', disk.by_source, sources),
  ];
}

/** Without a list in between: a home may hold very many sessions. */
function namesIn({ sessions, archives }: Known) {
  const tags = new Set<string>();
  const sources = new Set<string>();
  for (const items of [sessions, archives]) {
    for (const item of items) {
      sources.add(item.source);
      for (const tag of item.tags) tags.add(tag);
    }
  }
  return { tags: [...tags], sources: [...sources] };
}

/** The tags that are kept without a word about it, in a home of Coppice and in those of other agents. */
const USUAL_TAGS: ReadonlySet<string> = new Set([
  ...DEFAULT_CONFIG.sessions.keep_tags,
  ...KINDS.flatMap(({ tags = [] }) => tags),
]);

function unusedTags(key: string, wanted: readonly string[], tags: readonly string[]): string[] {
  return wanted
    .filter((tag) => !tags.includes(tag) && !USUAL_TAGS.has(tag))
    .map((tag) => `${key} names ${JSON.stringify(tag)}, but no session bears that tag.${didYouMean(tag, tags)}`);
}

/** A source may have no sessions at the moment, so only a name that looks like a slip is worth a word. */
function misspelt(key: string, bySource: object, sources: readonly string[]): string[] {
  return Object.keys(bySource)
    .filter((name) => !sources.includes(name) && !(name in DEFAULT_CONFIG.sessions.by_source))
    .filter((name) => closestWord(name, sources) !== undefined)
    .map(
      (name) => `${key} names ${JSON.stringify(name)}, but no session comes from there.${didYouMean(name, sources)}`,
    );
}

function didYouMean(name: string, names: readonly string[]): string {
  const closest = closestWord(name, names);
  return closest === undefined ? '' : ` Did you mean ${JSON.stringify(closest)}?`;
}
