import type { HomeKind } from './home-kind.ts';

/** A kind of home as everybody may know it without loading it: its name, and the words by which people know its agent. */
export interface KnownKind {
  readonly name: string;
  /** What people call the agent. */
  readonly agent: string;
  /** Where its home usually is. */
  readonly place: string;
  /** The environment variables that name another place. With them it is known without loading the kind that nobody has such a home. */
  readonly variables?: readonly string[];
  /** Folders in one of which it is where that can be several. Without any of them, too, it is known that nobody has such a home. */
  readonly within?: readonly string[];
  /** What it puts aside and never cuts back. */
  readonly copies?: string;
  /** Tags that its sessions bear by themselves. Rules may name them where no session bears one. */
  readonly tags?: readonly string[];
  readonly load: () => Promise<HomeKind>;
}

/** What the usual editors keep for a person, and what they leave on a machine that they are only connected to. */
const EDITORS: readonly string[] = [
  ...['~/.config/', '~/Library/Application Support/'].flatMap((settings) =>
    ['Code', 'Code - Insiders', 'VSCodium', 'Cursor'].map((editor) => settings + editor),
  ),
  '~/.vscode-server',
  '~/.vscode-server-insiders',
  '~/.vscodium-server',
  '~/.cursor-server',
];

/** Every kind of home that another agent writes. To add one: a folder beside this file, and an entry here. */
export const KINDS: readonly KnownKind[] = [
  {
    name: 'hermes',
    agent: 'Hermes',
    place: '~/.hermes',
    variables: ['HERMES_HOME'],
    copies: 'backups of a malformed database, snapshots of its state, logs of subagents',
    tags: ['hermes:archived'],
    load: async () => (await import('./hermes/hermes-kind.ts')).hermesKind,
  },
  {
    name: 'pi',
    agent: 'pi',
    place: '~/.pi/agent',
    variables: ['PI_CODING_AGENT_DIR'],
    load: async () => (await import('./pi/pi-kind.ts')).piKind,
  },
  {
    name: 'claude-code',
    agent: 'Claude Code',
    place: '~/.claude',
    variables: ['CLAUDE_CONFIG_DIR'],
    load: async () => (await import('./claude-code/claude-kind.ts')).claudeKind,
  },
  {
    name: 'codex',
    agent: 'Codex',
    place: '~/.codex',
    variables: ['CODEX_HOME'],
    tags: ['codex:archived'],
    load: async () => (await import('./codex/codex-kind.ts')).codexKind,
  },
  {
    name: 'opencode',
    agent: 'opencode',
    place: '~/.local/share/opencode',
    variables: ['XDG_DATA_HOME'],
    tags: ['opencode:archived'],
    load: async () => (await import('./opencode/opencode-kind.ts')).opencodeKind,
  },
  {
    name: 'gemini-cli',
    agent: 'Gemini CLI',
    place: '~/.gemini',
    variables: ['GEMINI_CLI_HOME'],
    load: async () => (await import('./gemini-cli/gemini-kind.ts')).geminiKind,
  },
  {
    name: 'goose',
    agent: 'Goose',
    place: '~/.local/share/goose',
    variables: ['GOOSE_PATH_ROOT', 'XDG_DATA_HOME'],
    tags: ['goose:archived'],
    load: async () => (await import('./goose/goose-kind.ts')).gooseKind,
  },
  {
    name: 'openclaw',
    agent: 'OpenClaw',
    place: '~/.openclaw',
    variables: ['OPENCLAW_STATE_DIR'],
    tags: ['openclaw:archived'],
    load: async () => (await import('./pi/openclaw/openclaw-kind.ts')).openclawKind,
  },
  {
    name: 'copilot',
    agent: 'Copilot CLI',
    place: '~/.copilot',
    variables: ['COPILOT_HOME'],
    load: async () => (await import('./copilot/copilot-kind.ts')).copilotKind,
  },
  {
    name: 'cline',
    agent: 'Cline',
    place: '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev',
    variables: ['XDG_CONFIG_HOME'],
    within: EDITORS,
    load: async () => (await import('./cline/task-kinds.ts')).clineKind,
  },
  {
    name: 'roo-code',
    agent: 'Roo Code',
    place: '~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline',
    variables: ['XDG_CONFIG_HOME'],
    within: EDITORS,
    load: async () => (await import('./cline/task-kinds.ts')).rooKind,
  },
  {
    name: 'kilo-code',
    agent: 'Kilo Code',
    place: '~/.config/Code/User/globalStorage/kilocode.kilo-code',
    variables: ['XDG_CONFIG_HOME'],
    within: EDITORS,
    load: async () => (await import('./cline/task-kinds.ts')).kiloKind,
  },
];

/** Their agents in a sentence, such as "A", "A or B", "A, B or C". */
export const AGENTS: string = inWords(KINDS);

/** Those that put copies aside. */
export const COPYING_AGENTS: string = inWords(KINDS.filter(({ copies }) => copies !== undefined));

function inWords(kinds: readonly KnownKind[]): string {
  const agents = kinds.map(({ agent }) => agent);
  return [agents.slice(0, -1).join(', '), agents.at(-1) ?? ''].filter(Boolean).join(' or ');
}
