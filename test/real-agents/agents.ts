import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a real agent is asked to work for ever against a model on this machine. */
export interface RealAgent {
  readonly name: string;
  /** Writes its configuration into a home of its own. */
  readonly prepare: (place: AgentPlace) => { readonly env: Record<string, string> };
  /** For a run without a person. */
  readonly args: readonly string[];
  readonly inTerminal: InTerminal;
  /** Whether the meter sees what it uses. */
  readonly isMetered: boolean;
  /** Whether what it uses is read from what it writes or prints. */
  readonly isRead: boolean;
}

export interface AgentPlace {
  readonly home: string;
  /** The folder that it works in. */
  readonly work: string;
  readonly modelUrl: string;
}

/** How a person works with it. */
export interface InTerminal {
  readonly args: readonly string[];
  /** Stands on its screen when it waits for a prompt. */
  readonly ready: string;
  /** The keys that end it, as tmux names them. */
  readonly quit: readonly string[];
}

const PROMPT = 'Run the command true again and again, for ever.';

export const REAL_AGENTS: readonly RealAgent[] = [
  {
    name: 'claude',
    args: ['-p', PROMPT, '--model', 'claude-sonnet-4-5', '--allowedTools', 'Bash'],
    // With the model that it chooses itself, which must have a price.
    inTerminal: { args: ['--allowedTools', 'Bash'], ready: 'Claude Code v', quit: ['C-c', 'C-c'] },
    isMetered: true,
    isRead: true,
    prepare({ home, work, modelUrl }) {
      const config = {
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: ['sk-ant-fake'], rejected: [] },
        projects: { [work]: { hasTrustDialogAccepted: true } },
      };
      write(join(home, '.claude'), '.claude.json', JSON.stringify(config));
      return {
        env: {
          ANTHROPIC_API_KEY: 'sk-ant-fake',
          ANTHROPIC_BASE_URL: modelUrl,
          CLAUDE_CONFIG_DIR: join(home, '.claude'),
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
        },
      };
    },
  },
  {
    name: 'codex',
    args: ['exec', '--skip-git-repo-check', PROMPT],
    inTerminal: { args: [], ready: 'Ask Codex', quit: ['C-c'] },
    isMetered: true,
    isRead: true,
    prepare({ home, modelUrl }) {
      const lines = [
        'model = "stub-model"',
        'model_provider = "stub"',
        'model_context_window = 100000',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        'check_for_update_on_startup = false',
        '[model_providers.stub]',
        'name = "Stub"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "STUB_API_KEY"',
        '[analytics]',
        'enabled = false',
      ];
      write(join(home, '.codex'), 'config.toml', lines.join('\n'));
      return { env: { STUB_API_KEY: 'fake' } };
    },
  },
  {
    name: 'gemini',
    args: ['-p', PROMPT, '--approval-mode', 'yolo'],
    inTerminal: { args: ['--approval-mode', 'yolo'], ready: 'Type your message', quit: ['C-c', 'C-c'] },
    isMetered: true,
    isRead: true,
    prepare({ home, modelUrl }) {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        model: { name: 'gemini-2.5-flash' },
      };
      write(join(home, '.gemini'), 'settings.json', JSON.stringify(settings));
      return {
        env: {
          GEMINI_API_KEY: 'fake',
          GOOGLE_GEMINI_BASE_URL: modelUrl,
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
          GEMINI_CLI_NO_RELAUNCH: 'true',
          GEMINI_TELEMETRY_ENABLED: 'false',
        },
      };
    },
  },
  {
    name: 'opencode',
    args: ['run', '--format', 'json', '--title', 'For ever', PROMPT],
    inTerminal: { args: [], ready: 'Ask anything', quit: ['C-c'] },
    isMetered: true,
    isRead: true,
    prepare({ home, modelUrl }) {
      const model = { name: 'Stub', tool_call: true, limit: { context: 100_000, output: 8000 } };
      const options = { baseURL: `${modelUrl}/v1`, apiKey: 'fake' };
      const stub = { npm: '@ai-sdk/openai-compatible', name: 'Stub', options, models: { 'stub-model': model } };
      const permission = { bash: 'allow' };
      const config = { model: 'stub/stub-model', small_model: 'stub/stub-model', autoupdate: false, permission };
      write(join(home, '.config', 'opencode'), 'opencode.json', JSON.stringify({ ...config, provider: { stub } }));
      return {
        env: {
          OPENCODE_DISABLE_MODELS_FETCH: '1',
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
          OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        },
      };
    },
  },
  {
    name: 'pi',
    args: ['-p', '--provider', 'stub', '--model', 'stub-model', PROMPT],
    inTerminal: { args: ['--provider', 'stub', '--model', 'stub-model'], ready: 'Press ctrl+o', quit: ['C-d'] },
    isMetered: false,
    isRead: true,
    prepare({ home, modelUrl }) {
      const model = { id: 'stub-model', name: 'Stub', input: ['text'], contextWindow: 100_000, maxTokens: 8000 };
      const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 };
      const stub = {
        baseUrl: `${modelUrl}/v1`,
        api: 'openai-completions',
        apiKey: 'fake',
        compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
        models: [{ ...model, reasoning: false, cost }],
      };
      write(join(home, '.pi', 'agent'), 'models.json', JSON.stringify({ providers: { stub } }));
      return { env: { PI_OFFLINE: '1', PI_TELEMETRY: '0' } };
    },
  },
  {
    name: 'copilot',
    args: ['-p', PROMPT, '--allow-all'],
    inTerminal: { args: ['--allow-all'], ready: '/ commands', quit: ['C-c', 'C-c'] },
    isMetered: true,
    isRead: true,
    prepare({ home, work, modelUrl }) {
      write(join(home, '.copilot'), 'config.json', JSON.stringify({ trustedFolders: [work] }));
      return {
        env: {
          COPILOT_OFFLINE: 'true',
          COPILOT_PROVIDER_TYPE: 'anthropic',
          COPILOT_PROVIDER_BASE_URL: modelUrl,
          COPILOT_PROVIDER_API_KEY: 'fake',
          COPILOT_MODEL: 'claude-sonnet-4.5',
          COPILOT_HOME: join(home, '.copilot'),
          XDG_CACHE_HOME: join(home, '..', 'cache'),
        },
      };
    },
  },
];

function write(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
}
