import { createHash } from 'node:crypto';
import { isAbsolute, join, resolve } from 'node:path';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { agentName } from '../agent-name.ts';
import { claudeLines, codexLines, copilotLines, geminiLines, piLines } from './agent-lines.ts';
import type { LineReader } from './told-line.ts';

/** How an agent writes down what it uses. */
export interface AgentReader {
  /** Whether a file below its folder tells of calls, by its path there. */
  readonly isLog: (path: string) => boolean;
  /** Only lines with one of these words are looked at. */
  readonly words: readonly string[];
  readonly lines: () => LineReader;
  /** How its files name the folder that it works in. */
  readonly placeOf: (cwd: string) => string;
}

/** What belongs to one run of an agent. Kept with the run, so that whoever comes after a crash reads on. */
export interface ReadRun {
  readonly agent: string;
  /** The folder in which the agent writes. Nothing outside it is read. */
  readonly root: string;
  readonly cwd: string;
  /** Sessions of the agent that its command line names. */
  readonly sessionIds: readonly string[];
  /** When the run began. Earlier calls are of others. */
  readonly since: number;
}

export interface ReadableStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: number;
}

export function readerOf(agent: string): AgentReader | undefined {
  return Object.hasOwn(READERS, agent) ? READERS[agent] : undefined;
}

/** Where a run of this agent writes what it uses; undefined for agents that are not known to. */
export function readRunOf({ command, args, cwd, env, now }: ReadableStart): ReadRun | undefined {
  const agent = agentName(command);
  const home = env['HOME'] ?? env['USERPROFILE'];
  const root = Object.hasOwn(ROOTS, agent) ? ROOTS[agent]?.(env, home ?? '') : undefined;
  if (root === undefined || !isAbsolute(root)) return undefined;
  const workdir = realPathIfThere(resolve(cwd, agent === 'codex' ? (folderIn(args) ?? '') : ''));
  const sessionIds = args.flatMap((arg) => SESSION_ID.exec(arg)?.[1]?.toLowerCase() ?? []);
  return { agent, root, cwd: workdir, sessionIds, since: now };
}

/** Codex works elsewhere when it is told to. */
function folderIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => /^(-C|--cd)(=|$)/.test(arg));
  const [, value] = /^(?:-C|--cd)=(.*)$/.exec(args[at] ?? '') ?? [];
  return at === -1 ? undefined : (value ?? args[at + 1]);
}

const SESSION_ID = /^(?:--[a-z-]+=)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

const ROOTS: Readonly<Record<string, (env: NodeJS.ProcessEnv, home: string) => string>> = {
  claude: (env, home) => join(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'projects'),
  codex: (env, home) => join(env['CODEX_HOME'] ?? join(home, '.codex'), 'sessions'),
  gemini: (env, home) => join(env['GEMINI_CLI_HOME'] ?? home, '.gemini', 'tmp'),
  pi: (env, home) =>
    env['PI_CODING_AGENT_SESSION_DIR'] ?? join(env['PI_CODING_AGENT_DIR'] ?? join(home, '.pi', 'agent'), 'sessions'),
  copilot: (env, home) => join(env['COPILOT_HOME'] ?? join(home, '.copilot'), 'session-state'),
};

const asIs = (cwd: string): string => cwd;
const READERS: Readonly<Record<string, AgentReader>> = {
  claude: {
    isLog: (path) => path.endsWith('.jsonl'),
    words: ['"usage"'],
    lines: claudeLines,
    placeOf: asIs,
  },
  codex: {
    isLog: (path) => /(^|\/)rollout-[^/]*\.jsonl$/.test(path),
    words: ['"token_usage_record"', '"token_count"', '"turn_context"', '"session_meta"'],
    lines: codexLines,
    placeOf: asIs,
  },
  gemini: {
    isLog: (path) => /(^|\/)chats\/.*\.jsonl$/.test(path),
    words: ['"tokens"', '"projectHash"'],
    lines: geminiLines,
    placeOf: (cwd) => createHash('sha256').update(cwd).digest('hex'),
  },
  pi: { isLog: (path) => path.endsWith('.jsonl'), words: ['"usage"'], lines: piLines, placeOf: asIs },
  copilot: {
    isLog: (path) => path.endsWith('/events.jsonl'),
    words: ['"session.usage_record"'],
    lines: copilotLines,
    placeOf: asIs,
  },
};
