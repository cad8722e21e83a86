import { type OtherSort, UNKNOWN } from '../../keeping/other-sorts.ts';

/** The sort of a path that is of no session; `unknown` where Claude Code is not known to write such a thing. */
export function otherSortOf(path: string): OtherSort {
  return SORTS.find(({ fits }) => fits.test(path)) ?? UNKNOWN;
}

/** Names as Claude Code writes them, relative to its home. The first that fits counts. Nothing of it is ever touched. */
const SORTS: readonly (OtherSort & { readonly fits: RegExp })[] = [
  { name: 'memory', unbounded: false, fits: /^(projects\/[^/]+\/memory|agent-memory)\// },
  { name: 'credentials', unbounded: false, fits: /^(\.credentials\.json|sessions\/[^/]+\.key)$/ },
  { name: 'registry', unbounded: false, fits: /^(sessions\/\d+\.json|ide\/.*|jobs\/.*|daemon\/.*)$/ },
  {
    name: 'settings',
    unbounded: false,
    fits: /^(settings(\.local)?\.json|\.claude\.json|CLAUDE\.md|keybindings\.json)$/,
  },
  {
    name: 'extensions',
    unbounded: false,
    fits: /^(agents|commands|hooks|output-styles|plugins|rules|skills|themes|workflows)\//,
  },
  { name: 'prompt-history', unbounded: true, fits: /^history\.jsonl/ },
  { name: 'totals', unbounded: false, fits: /^(stats-cache\.json|usage-data\/.*)$/ },
  { name: 'project-index', unbounded: false, fits: /^projects\/[^/]+\/(\.session-aliases|sessions-index\.json)$/ },
  // Of a session that is not there, as far as can be seen.
  { name: 'left-over', unbounded: true, fits: /^projects\/[^/]+\/[0-9a-f-]{36}\// },
  { name: 'shell-snapshot', unbounded: false, fits: /^shell-snapshots\// },
  { name: 'cache', unbounded: false, fits: /^((paste|image)-cache|cache|file-history|tasks|todos|session-env)\// },
  { name: 'plan', unbounded: false, fits: /^plans\// },
  { name: 'backup', unbounded: false, fits: /^backups\// },
  { name: 'log', unbounded: false, fits: /^(debug|logs|telemetry|statsig|feedback-bundles)\// },
  { name: 'program', unbounded: true, fits: /^(local|downloads|versions)\// },
  { name: 'marker', unbounded: false, fits: /^\.(last-[a-z-]+|update\.lock)$/ },
];
