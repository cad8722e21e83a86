import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unrealCommands } from '../../test/support/real-commands.ts';
import { forSamePlace, hintCommand } from './hint-command.ts';

const HOME = { home: '/projects/my agents' };
const REMOTE = { remote: 'http://127.0.0.1:7717' };

describe('hintCommand', () => {
  it('is a line to paste, whatever the words are', () => {
    expect(hintCommand({}, 'sessions', 'show', "it's")).toBe(`coppice sessions show 'it'\\''s'`);
    expect(hintCommand(HOME, 'undo', 'x')).toBe(`coppice undo x --home '/projects/my agents'`);
    expect(hintCommand({ ...HOME, ...REMOTE }, 'plan')).toBe(
      `coppice plan --remote http://127.0.0.1:7717 --home '/projects/my agents'`,
    );
  });

  it('prints hostile words as text', () => {
    expect(hintCommand({ home: '/a\x1b[2J' }, 'plan')).not.toContain('\x1b');
  });
});

describe('forSamePlace', () => {
  it.each([
    ['List them with: coppice runs', 'List them with: coppice runs --home /h'],
    [
      'What is: coppice plan. Then: coppice apply x',
      'What is: coppice plan --home /h. Then: coppice apply x --home /h',
    ],
    ['Wait; what runs: coppice sessions list --active', 'Wait; what runs: coppice sessions list --active --home /h'],
    ['As in: coppice run -- /path/to/agent', 'As in: coppice run --home /h -- /path/to/agent'],
    ['Try: coppice sessions search "disk full"', 'Try: coppice sessions search "disk full" --home /h'],
    [`Take: coppice checkpoints take '/a. B; c'`, `Take: coppice checkpoints take '/a. B; c' --home /h`],
    [`Show: coppice sessions show 'it'\\''s'`, `Show: coppice sessions show 'it'\\''s' --home /h`],
    [
      'None.\nAdd one with: coppice sessions import DIR\n',
      'None.\nAdd one with: coppice sessions import DIR --home /h\n',
    ],
    ['Run: coppice sessions --help', 'Run: coppice sessions --help'],
    ['Make it with: coppice config init --home /other', 'Make it with: coppice config init --home /other'],
    ['Give the id that coppice plan printed.', 'Give the id that coppice plan printed.'],
    ['Nothing was changed.', 'Nothing was changed.'],
  ])('%s', (text, expected) => {
    expect(forSamePlace({ home: '/h' }, text)).toBe(expected);
    expect(forSamePlace({}, text)).toBe(text);
  });

  it.each([
    ['List them with: coppice runs', 'List them with: coppice runs --remote http://127.0.0.1:7717'],
    ['Start it there with: coppice serve', 'Start it there with: coppice serve'],
    ['Write one with: coppice config init', 'Write one with: coppice config init'],
  ])('%s, for a daemon', (text, expected) => {
    expect(forSamePlace(REMOTE, text)).toBe(expected);
  });

  it('reaches every command in the texts of the program, and makes no command that does not exist', () => {
    const texts = textsOfTheProgram();
    expect(texts.length).toBeGreaterThan(50);
    const told = texts.map((text) => forSamePlace({ home: '/h' }, text));
    expect(told.filter((text) => /: coppice (?!.*--(home|help))/.test(text))).toEqual([]);
    expect(told.flatMap(unrealCommands)).toEqual([]);
  });
});

/** Texts in which a command follows a colon. What is filled in later is a word. */
function textsOfTheProgram(): string[] {
  const src = resolve(import.meta.dirname, '..');
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/\.(test|conformance)\.ts$|help-topics|config-template/.test(name),
  );
  return names.flatMap((name) => {
    const code = readFileSync(join(src, name), 'utf8').replaceAll(/\$\{[^{}]*\}/g, 'x');
    return [...code.matchAll(/'[^'\n]*: coppice [^'\n]*'|`[^`\n]*: coppice [^`\n]*`/g)].map(([text]) =>
      text.slice(1, -1).replaceAll('\\n', '\n'),
    );
  });
}
