import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentName } from '../agent-name.ts';
import type { MeterProxy } from './meter-proxy.ts';
import type { ModelApi } from './model-api.ts';

/** How an agent is started so that it reaches its models through the meter. */
export interface MeteredStart {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface AgentStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Agents that are known to go through the addresses they are given here. */
const KNOWN = ['claude', 'codex', 'gemini', 'opencode', 'copilot'] as const;

/** Whether the meter is known to see what this agent uses. */
export function isKnownAgent(command: string): boolean {
  return (KNOWN as readonly string[]).includes(agentName(command));
}

/** The agent, with every address of a model replaced by that of the meter. Where its calls went before, the meter sends them on. */
export function meteredStart(start: AgentStart, proxy: Pick<MeterProxy, 'base'>): MeteredStart {
  const { command, args, env } = start;
  const given = Object.entries(VARIABLES).map(([name, { api, upstream, always }]) => {
    const before = env[name];
    if (before === undefined && !always) return {};
    // Copilot says in another variable which shape its own provider has.
    const isAnthropic = name.startsWith('COPILOT') && env['COPILOT_PROVIDER_TYPE'] === 'anthropic';
    return { [name]: proxy.base({ api: isAnthropic ? 'anthropic' : api, upstream: before ?? upstream }) };
  });
  const own = Object.assign({}, ...given) as Record<string, string>;
  if (agentName(command) === 'codex') return { args: [...codexArgs(start, proxy), ...args], env: { ...env, ...own } };
  if (agentName(command) === 'opencode') return { args, env: { ...env, ...own, ...opencodeEnv(start, proxy) } };
  return { args, env: { ...env, ...own } };
}

interface Variable {
  readonly api: ModelApi;
  readonly upstream: string;
  /** Without it the agent goes to the provider; one that is not always set is a provider of the user's own. */
  readonly always: boolean;
}

const OPENAI = 'https://api.openai.com/v1';
const VARIABLES: Readonly<Record<string, Variable>> = {
  ANTHROPIC_BASE_URL: { api: 'anthropic', upstream: 'https://api.anthropic.com', always: true },
  OPENAI_BASE_URL: { api: 'openai', upstream: OPENAI, always: true },
  OPENAI_API_BASE: { api: 'openai', upstream: OPENAI, always: false },
  GOOGLE_GEMINI_BASE_URL: { api: 'gemini', upstream: 'https://generativelanguage.googleapis.com', always: true },
  COPILOT_PROVIDER_BASE_URL: { api: 'openai', upstream: OPENAI, always: false },
};

/** Codex goes by its configuration and not by the environment, and flags win over that. */
function codexArgs({ env }: AgentStart, proxy: Pick<MeterProxy, 'base'>): readonly string[] {
  const file = join(env['CODEX_HOME'] ?? join(env['HOME'] ?? '', '.codex'), 'config.toml');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const provider = /^model_provider\s*=\s*"([^"]+)"/m.exec(text)?.[1];
  const [, table = ''] = text.split(`[model_providers.${provider}]`);
  const upstream = /^base_url\s*=\s*"([^"]+)"/m.exec(table.split(/^\[/m)[0] ?? '')?.[1];
  if (provider === undefined || upstream === undefined) {
    const before = /^openai_base_url\s*=\s*"([^"]+)"/m.exec(text)?.[1] ?? env['OPENAI_BASE_URL'] ?? OPENAI;
    return ['-c', `openai_base_url="${proxy.base({ api: 'openai', upstream: before })}"`];
  }
  return ['-c', `model_providers.${provider}.base_url="${proxy.base({ api: 'openai', upstream })}"`];
}

/** opencode takes more configuration from a variable, which wins over its files. */
function opencodeEnv({ env }: AgentStart, proxy: Pick<MeterProxy, 'base'>): Record<string, string> {
  const directory = join(env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? '', '.config'), 'opencode');
  const before = parsed(env['OPENCODE_CONFIG_CONTENT'] ?? '{}');
  const configured = { ...parsed(textOf(join(directory, 'opencode.json'))).provider, ...before.provider };
  const entries = Object.entries({ ...BUILT_IN, ...configured }).flatMap(([name, { npm, options, api: known }]) => {
    if (options?.baseURL === undefined) return [];
    const api = known ?? (npm?.includes('anthropic') ? 'anthropic' : npm?.includes('google') ? 'gemini' : 'openai');
    const baseURL = proxy.base({ api, upstream: options.baseURL });
    return [[name, { ...before.provider?.[name], options: { ...options, baseURL } }]];
  });
  const provider = Object.fromEntries(entries) as Record<string, unknown>;
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...before, provider: { ...before.provider, ...provider } }) };
}

interface Provider {
  readonly npm?: string;
  readonly api?: ModelApi;
  readonly options?: { readonly baseURL?: string };
}

const BUILT_IN: Readonly<Record<string, Provider>> = {
  anthropic: { api: 'anthropic', options: { baseURL: 'https://api.anthropic.com/v1' } },
  openai: { api: 'openai', options: { baseURL: OPENAI } },
  google: { api: 'gemini', options: { baseURL: 'https://generativelanguage.googleapis.com/v1beta' } },
};

function parsed(text: string): { readonly provider?: Readonly<Record<string, Provider>> } {
  try {
    return (JSON.parse(text) ?? {}) as { provider?: Record<string, Provider> };
  } catch {
    // Comments, or a mistake: then what the agent has built in is metered, and it says itself what is wrong.
    return {};
  }
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '{}';
}
