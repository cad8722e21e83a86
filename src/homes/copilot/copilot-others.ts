import { type OtherSort, UNKNOWN } from '../../keeping/other-sorts.ts';

/** The sort of a path that is of no session; `unknown` where Copilot CLI is not known to write such a thing. */
export function otherSortOf(path: string): OtherSort {
  return SORTS.find(({ fits }) => fits.test(path)) ?? UNKNOWN;
}

/** Names as Copilot CLI writes them, relative to its home. The first that fits counts. Nothing of it is ever touched. */
const SORTS: readonly (OtherSort & { readonly fits: RegExp })[] = [
  // Rows of all sessions, and the index over what was said in them, also of those that were deleted.
  { name: 'session-store', unbounded: true, fits: /^session-store\.db(-wal|-shm|-journal)?$/ },
  { name: 'lock', unbounded: true, fits: /^session-state\/\.session-operation-locks\/|^settings\.json\.lock$/ },
  { name: 'credentials', unbounded: false, fits: /^(mcp-oauth-config|mcp-secrets)\// },
  {
    name: 'settings',
    unbounded: false,
    fits: /^(config|settings|mcp-config|lsp-config|permissions-config)\.json$|^copilot-instructions\.md$/,
  },
  {
    name: 'extensions',
    unbounded: false,
    fits: /^(agents|hooks|installed-plugins|instructions|plugins|prompts|skills)\//,
  },
  { name: 'prompt-history', unbounded: true, fits: /^command-history-state(\/|\.json$)/ },
  // Copilot CLI keeps those of a week, fifty at most.
  { name: 'log', unbounded: false, fits: /^logs\// },
  { name: 'program', unbounded: false, fits: /^pkg\// },
  { name: 'session-without-events', unbounded: true, fits: /^session-state\/[^/.][^/]*\// },
];
