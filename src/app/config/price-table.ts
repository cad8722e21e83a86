/**
 * What models cost, in US dollars for a million tokens, for prompts of ordinary length; some cost more for very long ones. Only what the
 * pages below said when they were looked at. Prices change: what is set under `prices` in config.yaml wins, model by model.
 */
export const PRICE_TABLE = {
  asOf: '2026-11-18',
  sources: [
    'https://platform.claude.com/docs/en/about-claude/pricing',
    'https://docs.github.com/en/copilot/reference/copilot-billing/models-and-pricing',
    'https://ai.google.dev/gemini-api/docs/pricing, as others quote it',
  ],
  models: {
    'claude-fable-5-1': { input: 10, output: 50, cache_read: 0.25, cache_write: 12.5 },
    'claude-fable-5': { input: 10, output: 50, cache_read: 1, cache_write: 12.5 },
    'claude-opus-5-5': { input: 4, output: 20, cache_read: 0.2, cache_write: 5 },
    'claude-opus-5': { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25 },
    'claude-opus-4-8': { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25 },
    'claude-opus-4-7': { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25 },
    'claude-opus-4-6': { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25 },
    'claude-opus-4-5': { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25 },
    'claude-opus-4-1': { input: 15, output: 75, cache_read: 1.5, cache_write: 18.75 },
    'claude-opus-4': { input: 15, output: 75, cache_read: 1.5, cache_write: 18.75 },
    'claude-sonnet-5-5': { input: 2, output: 10, cache_read: 0.2, cache_write: 2.5 },
    'claude-sonnet-5': { input: 2, output: 10, cache_read: 0.2, cache_write: 2.5 },
    'claude-sonnet-4-6': { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
    'claude-sonnet-4-5': { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
    'claude-sonnet-4': { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
    'claude-haiku-4-5': { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 },
    'claude-3-5-haiku': { input: 0.8, output: 4, cache_read: 0.08, cache_write: 1 },
    'gpt-5.5': { input: 5, output: 30, cache_read: 0.5 },
    'gpt-5.4': { input: 2.5, output: 15, cache_read: 0.25 },
    'gpt-5.4-mini': { input: 0.75, output: 4.5, cache_read: 0.075 },
    'gpt-5.4-nano': { input: 0.2, output: 1.25, cache_read: 0.02 },
    'gpt-5.3-codex': { input: 1.75, output: 14, cache_read: 0.175 },
    'gpt-5.2-codex': { input: 1.75, output: 14, cache_read: 0.175 },
    'gpt-5.2': { input: 1.75, output: 14, cache_read: 0.175 },
    'gpt-5-mini': { input: 0.25, output: 2, cache_read: 0.025 },
    'gpt-4.1': { input: 2, output: 8, cache_read: 0.5 },
    'gemini-2.5-pro': { input: 1.25, output: 10 },
    'gemini-2.5-flash': { input: 0.3, output: 2.5 },
    'gemini-2.5-flash-lite': { input: 0.1, output: 0.4 },
  },
} as const;
