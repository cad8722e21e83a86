import { describe, expect, it } from 'vitest';
import { type CaptureOptions, captureIo } from '../../test/capture-io.ts';
import { FAILURES } from '../core/failure.ts';
import { main } from './main.ts';

async function coppice(argv: readonly string[], options?: CaptureOptions) {
  const { io, out, err } = captureIo(options);
  const exitCode = await main(argv, io);
  return { exitCode, out: out(), err: err() };
}

describe('help', () => {
  it('is printed with every exit code', async () => {
    const { exitCode, out, err } = await coppice(['--help']);
    expect(exitCode).toBe(0);
    expect(err).toBe('');
    for (const { exit, meaning } of Object.values(FAILURES))
      expect(out).toMatch(new RegExp(`\\n  ${exit} .*${meaning}`));
  });

  it.each([[['sessions', 'list', '--help']], [['help', 'sessions', 'list']], [['sessions', 'list', '-h', '--json']]])(
    'of a command is shown by %j',
    async (argv) => {
      const { exitCode, out } = await coppice(argv);
      expect(exitCode).toBe(0);
      expect(out).toMatch(/^Usage: coppice sessions list \[options\]/);
      expect(out).toContain('Global Options:');
      expect(out).toContain('Examples:\n  coppice sessions list');
    },
  );

  it('of a group is shown when its command is left out', async () => {
    const { exitCode, out, err } = await coppice(['sessions']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Usage: coppice sessions <command>/);
    expect(err).toBe('');
  });

  it('fits the terminal', async () => {
    const { out } = await coppice(['sessions', 'list', '--help'], { columns: 60 });
    const options = out.slice(0, out.indexOf('Examples:')).split('\n');
    for (const line of options) expect(line.length).toBeLessThanOrEqual(60);
  });

  it.each([
    [['help', 'sessions', 'lsit'], 'sessions lsit', 'Run: coppice sessions --help'],
    [['help', 'sessions', 'lst'], 'sessions lst', 'Did you mean list? Run: coppice sessions --help'],
    [['help', 'polcy'], 'polcy', 'Did you mean policy? Run: coppice --help'],
  ])('refuses %j, which does not exist', async (argv, name, hint) => {
    const { exitCode, err } = await coppice(argv);
    expect(exitCode).toBe(2);
    expect(err).toBe(`coppice: There is no command 'coppice ${name}'.\n${hint}\n`);
  });
});

it('prints the version of the package', async () => {
  const { exitCode, out } = await coppice(['--version', '--json']);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe('a line that is not valid', () => {
  it.each([
    [['sesions'], "Unknown command 'sesions'.", 'Did you mean sessions? Run: coppice --help'],
    [['sessions', 'lst'], "Unknown command 'lst'.", 'Did you mean list? Run: coppice sessions --help'],
    [
      ['sessions', 'list', '--soruce', 'x'],
      "Unknown option '--soruce'.",
      'Did you mean --source? Run: coppice sessions list --help',
    ],
    [
      ['sessions', 'list', '--source'],
      "Option '--source <source>' needs a value.",
      'Run: coppice sessions list --help',
    ],
    [
      ['sessions', 'show'],
      '<id> is missing: id of the session, its first or last characters, @last, @2 or its title.',
      'List them with: coppice sessions list',
    ],
    [
      ['checkpoints', 'restore'],
      '<id> is missing: id of the checkpoint, or its first characters.',
      'List them with: coppice checkpoints list --all',
    ],
    [
      ['sessions', 'rename', 'x'],
      '<title> is missing: the new title, in quotes when it has spaces.',
      'Run: coppice sessions rename --help',
    ],
    [
      ['sessions', 'rename', 'x', 'two', 'words'],
      "'words' is more than coppice sessions rename takes.",
      'Put quotes around words that belong together. Run: coppice sessions rename --help',
    ],
    [['search', 'disk'], "Unknown command 'search'.", 'Did you mean coppice sessions search? Run: coppice --help'],
    [['sessions', 'undo'], "Unknown command 'undo'.", 'Did you mean coppice undo? Run: coppice sessions --help'],
    [['cron', 'add', 'x', '--', 'y'], '--schedule is missing.', 'Run: coppice cron add --help'],
    [
      ['sessions', 'restore'],
      '<id> is missing: ids of archived sessions, their first or last characters, or titles.',
      'List them with: coppice sessions list --archived',
    ],
    [['cron', 'next'], '<name> is missing: name of the job.', 'List them with: coppice cron list'],
    [
      ['restore', 'x'],
      "Unknown command 'restore'.",
      'Did you mean one of coppice trash restore, coppice sessions restore, coppice checkpoints restore? Run: coppice --help',
    ],
    [['plan', 'x'], "'x' is more than coppice plan takes.", 'Run: coppice plan --help'],
    [['--nonsense'], "Unknown option '--nonsense'.", 'Run: coppice --help'],
    [
      ['sessions', 'list', '--sort', 'big'],
      "--sort cannot be 'big'.",
      'Choose one of: last, size, messages, tokens, cost, bytes.',
    ],
    [
      ['sessions', 'tail', 'x', '-n', 'many'],
      "--messages takes a whole number above zero, not 'many'.",
      'For example: --messages 20',
    ],
    [['sessions', 'list', '--since', '5m'], "'5m' could mean minutes or months.", 'For minutes, write: --since 5min'],
    [['doctor', '--home', ''], '--home was given an empty value.', 'Write a value after --home, or leave --home out.'],
    [['doctor', '--set', 'x'], "--set takes key=value, not 'x'.", 'For example: --set sessions.retention_days=30'],
    [['completion', 'tcsh'], "The shell cannot be 'tcsh'.", 'Choose one of: bash, zsh, fish.'],
  ])('%j is a usage failure with a next step', async (argv, sentence, hint) => {
    expect(await coppice(argv)).toEqual({ exitCode: 2, out: '', err: `coppice: ${sentence}\n${hint}\n` });
  });

  it('is told about in JSON when JSON was asked for anywhere', async () => {
    for (const argv of [
      ['--json', 'sessions', 'lst'],
      ['sessions', 'list', '--nope', '--json'],
    ]) {
      const { exitCode, out, err } = await coppice(argv);
      expect(exitCode).toBe(2);
      expect(out).toBe('');
      expect(JSON.parse(err)).toMatchObject({ schemaVersion: 1, error: { code: 'usage', exitCode: 2 } });
    }
  });

  it('is told about without colour after --no-color', async () => {
    expect((await coppice(['--nope'], { colour: true })).err).toContain('\x1b[31m');
    expect((await coppice(['--nope', '--no-color'], { colour: true })).err).not.toContain('\x1b');
  });
});
