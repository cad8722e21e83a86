import { describe, expect, it } from 'vitest';
import { namedModel } from './named-model.ts';

const named = (line: string, env: NodeJS.ProcessEnv = {}) => {
  const [command = '', ...args] = line.split(' ');
  return namedModel({ command, args, env });
};

describe('the model that a run names', () => {
  it.each([
    ['claude --model claude-x-5-5', 'claude-x-5-5'],
    ['/opt/bin/claude -p go --model=claude-x-5-5[1m]', 'claude-x-5-5'],
    ['codex exec -m gpt-9-codex go', 'gpt-9-codex'],
    ['opencode run --model anthropic/claude-x-5-5 go', 'claude-x-5-5'],
    ['pi --model x-5:high', 'x-5'],
  ])('is read from: %s', (line, model) => {
    expect(named(line)).toBe(model);
  });

  it('is read from the environment where no option names one', () => {
    const env = { ANTHROPIC_MODEL: 'claude-x-6' };
    expect(named('claude -p go', env)).toBe('claude-x-6');
    expect(named('claude --model claude-x-5', env)).toBe('claude-x-5');
    expect(named('codex exec go', env)).toBeUndefined();
  });

  it.each(['claude --model opus', 'claude --model', 'claude', 'git commit -m fix-1', 'claude --model opus[1m]'])(
    'is not guessed from: %s',
    (line) => {
      expect(named(line)).toBeUndefined();
    },
  );
});
