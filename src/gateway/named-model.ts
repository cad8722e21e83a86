import { agentName } from './agent-name.ts';

export interface NamingStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** By what the agents that are known here are told their model, besides `--model`. */
const VARIABLES: Readonly<Record<string, string>> = {
  claude: 'ANTHROPIC_MODEL',
  gemini: 'GEMINI_MODEL',
  copilot: 'COPILOT_MODEL',
};
const AGENTS: ReadonlySet<string> = new Set(['claude', 'codex', 'gemini', 'opencode', 'copilot', 'pi']);
const OPTION = /^(?:--model|-m)(?:=(.*))?$/;

/**
 * The model that a run of a known agent names at its start, as its provider calls it. Undefined where it names none, or one by a word of its
 * own such as `opus`: which model that is, its first call tells.
 */
export function namedModel({ command, args, env }: NamingStart): string | undefined {
  const agent = agentName(command);
  if (!AGENTS.has(agent)) return undefined;
  const at = args.findIndex((arg) => OPTION.test(arg));
  const option = OPTION.exec(args[at] ?? '')?.[1] ?? (at === -1 ? undefined : args[at + 1]);
  const given = option ?? env[VARIABLES[agent] ?? ''];
  // `anthropic/claude-x-5` names the provider as well, `claude-x-5[1m]` and `x-5:high` how it is to work.
  const model = given?.replace(/^.*\//, '').replace(/(\[[^\]]*\]|:[a-z]+)$/, '');
  return model !== undefined && /-.*\d|\d.*-/.test(model) ? model : undefined;
}
