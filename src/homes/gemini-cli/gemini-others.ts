import { type OtherSort, UNKNOWN } from '../../keeping/other-sorts.ts';

/** The sort of a path that is of no session; `unknown` where Gemini CLI is not known to write such a thing. */
export function otherSortOf(path: string): OtherSort {
  return SORTS.find(({ fits }) => fits.test(path)) ?? UNKNOWN;
}

/** What sessions left that are not there any more, as far as can be told. */
export const LEFT_OVER: OtherSort = { name: 'left-over', unbounded: true };

/** Names as Gemini CLI writes them, relative to its home. The first that fits counts. Nothing of it is ever touched. */
const SORTS: readonly (OtherSort & { readonly fits: RegExp })[] = [
  // A repository of each project, in which its files are saved before they are changed. It is of no session, and is never cut back.
  { name: 'saved-files', unbounded: true, fits: /^history\// },
  { name: 'memory', unbounded: false, fits: /^(GEMINI\.md|memory\.md|tmp\/[^/]+\/memory\/.*)$/ },
  {
    name: 'credentials',
    unbounded: false,
    fits: /^(oauth_creds|mcp-oauth-tokens[^/]*|google_accounts|a2a-oauth[^/]*)\.json$/,
  },
  { name: 'project-index', unbounded: false, fits: /^(projects\.json|(tmp|history)\/[^/]+\/\.project_root)$/ },
  {
    name: 'settings',
    unbounded: false,
    fits: /^(settings|trustedFolders|keybindings|state|acknowledgments\/.*)(\.json)?(\.orig)?$|^(installation_id|user_id|\.env)$/,
  },
  {
    name: 'extensions',
    unbounded: false,
    fits: /^(agents|commands|extensions|hooks|policies|skills|themes)\/|^extension_integrity\.json$/,
  },
  { name: 'prompt-history', unbounded: true, fits: /^tmp\/[^/]+\/(logs\.json|shell_history)/ },
  // Gemini CLI empties the folder each time it starts.
  { name: 'checkpoint', unbounded: false, fits: /^tmp\/[^/]+\/checkpoints\// },
  { name: 'saved-chat', unbounded: true, fits: /^tmp\/[^/]+\/checkpoint-[^/]*\.json$/ },
  { name: 'tool-output', unbounded: false, fits: /^tmp\/[^/]+\/tool-outputs\/[^/]+$/ },
  { name: 'log', unbounded: false, fits: /^tmp\/(background-processes\/|[^/]+\/logs\/)/ },
  { name: 'program', unbounded: false, fits: /^tmp\/bin\// },
];
