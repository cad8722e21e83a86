import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeConfig } from '../../../test/support/config-file.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { Failure } from '../../core/failure.ts';
import { loadConfig, readConfig } from './load-config.ts';

describe('readConfig, in a file', () => {
  it.each([
    [
      'sessions:\n  retention_hours: 3\n',
      '2:3: sessions.retention_hours: There is no such key. Did you mean sessions.retention_days? Its unit is days.',
    ],
    [
      'sessions: { retention: 3 }\n',
      '1:13: sessions.retention: There is no such key. Did you mean sessions.retention_days? Its unit is days.',
    ],
    [
      'sessions: { retntion: 3 }\n',
      '1:13: sessions.retntion: There is no such key. Did you mean sessions.retention_days?',
    ],
    ['retention_days: 3\n', '1:1: retention_days: There is no such key. Did you mean sessions.retention_days?'],
    ['sesions: {}\n', '1:1: sesions: There is no such key. Did you mean sessions?'],
    [
      'sessions: { enabled: true }\n',
      '1:13: sessions.enabled: There is no such key. Did you mean checkpoints.enabled?',
    ],
    [
      'sessions: { by_source: { cron: { auto_prune: true } } }',
      '1:34: sessions.by_source.cron.auto_prune: There is no such key. Did you mean sessions.auto_prune?',
    ],
    [
      'sessions: { by_source: { x: { max_md: 1 } } }',
      '1:31: sessions.by_source.x.max_md: There is no such key. Did you mean sessions.by_source.x.max_mb?',
    ],
    ['trash: { colour: red }\n', '1:10: trash.colour: There is no such key. Known keys here: grace_days, max_mb.'],
    [
      '__proto__: { a: 1 }\n',
      '1:1: __proto__: There is no such key. Known keys here: sessions, dumps, trash, archive, disk, homes, guard, checkpoints, session_reset, limits, budgets, guards, prices, cron, serve, webhooks.',
    ],
  ])('names the key that was meant: %j', async (text, line) => {
    expect(await linesFor(text)).toStrictEqual([line]);
  });

  it.each([
    [
      'sessions: { retention_days: 90d }',
      'sessions.retention_days: "90d" is not a number. Write 90: the unit is in the key.',
    ],
    [
      'sessions: { retention_days: 90 days }',
      'sessions.retention_days: "90 days" is not a number. Write 90: the unit is in the key.',
    ],
    [
      'sessions: { retention_days: 12h }',
      'sessions.retention_days: "12h" is not possible here. Write a number of days from 1 to 36,500, or never.',
    ],
    [
      'sessions: { retention_days: "90" }',
      'sessions.retention_days: "90" is text, not a number. Write 90 without quotes.',
    ],
    [
      'sessions: { retention_days: }',
      'sessions.retention_days: An empty value is not possible here. Write a number of days from 1 to 36,500, or never. Did you mean never?',
    ],
    [
      'sessions: { retention_days: Never }',
      'sessions.retention_days: "Never" is not possible here. Write a number of days from 1 to 36,500, or never. Did you mean never?',
    ],
    [
      'sessions: { retention_days: 36501 }',
      'sessions.retention_days: 36501 is not possible here. Write a number of days from 1 to 36,500, or never.',
    ],
    [
      'sessions: { min_age_hours: never }',
      'sessions.min_age_hours: "never" is not possible here. Write a number of hours from 1 to 876,000.',
    ],
    [
      'sessions: { keep_last: 1.5 }',
      'sessions.keep_last: 1.5 is not possible here. Write a whole number from 1 to 1,000,000,000,000, or never.',
    ],
    ['sessions: { auto_prune: yes }', 'sessions.auto_prune: "yes" is not possible here. Write true or false.'],
    [
      'sessions: { transcripts: onn }',
      'sessions.transcripts: "onn" is not possible here. Write on or off. Did you mean on?',
    ],
    [
      'sessions: { keep_tags: keep }',
      'sessions.keep_tags: "keep" is not a list. Write one in brackets, such as [one, two].',
    ],
    ['sessions: { keep_tags: [a, 7] }', 'sessions.keep_tags.1: 7 is not a word. Put it in quotes, or remove it.'],
    ['sessions: 90', 'sessions: 90 is not possible here. This is a section: write its keys under it, indented.'],
    [
      'session_reset: { idle_minutes: 0 }',
      'session_reset.idle_minutes: 0 is not possible here. Write a number of minutes from 1 to 52,560,000.',
    ],
    [
      'session_reset: { at_hour: 24 }',
      'session_reset.at_hour: 24 is not possible here. Write a whole hour of the day from 0 to 23.',
    ],
    [
      'session_reset: { time_zone: Europe/Berln }',
      'session_reset.time_zone: "Europe/Berln" is not a time zone. Write a name such as UTC or Europe/Berlin. Did you mean Europe/Berlin?',
    ],
    [
      'budgets: { day: { usd: -1 } }',
      'budgets.day.usd: -1 is not possible here. Write an amount in US dollars from 0.01 to 1,000,000, or never.',
    ],
  ])('says what to write instead: %s', async (text, message) => {
    const lines = await linesFor(text);
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ''))).toStrictEqual([message]);
  });

  it.each([
    ['a tab', 'sessions:\n\tmax_mb: 3\n', '2:1: There is a tab at the start of the line. Use spaces.'],
    [
      'a bracket left open',
      'sessions: [1\n',
      '2:1: This is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
    [
      'a list',
      '- sessions\n',
      '1:1: A list is not possible here. The file must hold sections with keys, such as sessions:.',
    ],
    [
      'a word',
      'sessions',
      '1:1: "sessions" is not possible here. The file must hold sections with keys, such as sessions:.',
    ],
    [
      'two documents',
      'trash: {}\n---\ntrash: {}\n',
      '2:1: There is more than one document. Remove the line with three dashes (---).',
    ],
    [
      'an unknown alias',
      'trash: *x\n',
      '1:8: An alias (*name) refers to nothing or stands for too much. Write the values out.',
    ],
    ['an alias bomb', bomb(), '2:9: An alias (*name) refers to nothing or stands for too much. Write the values out.'],
    ['an unknown tag', 'trash: !x {}\n', '1:8: This is not valid YAML: Unresolved tag: !x.'],
    ['a list as a key', '? [a]\n: 1\n', '1:3: A key must be a plain word.'],
    ['endless nesting', '['.repeat(20_000), expect.stringMatching(/^1:\d+: This is nested too deeply\.$/)],
  ])('reports %s as one issue', async (_, text, line) => {
    expect(await linesFor(text)).toStrictEqual([line]);
  });

  it('reports a key written twice together with all that is wrong elsewhere, in the order of the file', async () => {
    expect(
      await linesFor('trash:\n  grace_days: 1\n  grace_days: 2\nguard:\n  max_items: 0\ndisc: {}\n'),
    ).toStrictEqual([
      '3:3: This key is written twice. Remove one of the two.',
      '5:14: guard.max_items: 0 is not possible here. Write a whole number from 1 to 1,000,000,000,000.',
      '6:1: disc: There is no such key. Did you mean disk?',
    ]);
  });

  it('accepts an alias, and points into its anchor when a value there is wrong', async () => {
    const { config, origins, file } = await loadConfig(writeConfig(aliased(5)));
    expect(config.sessions.by_source['b']).toStrictEqual({ retention_days: 5 });
    expect(origins.get('sessions.by_source.b.retention_days')?.where).toBe(`${file}:4`);
    expect(await linesFor(aliased(0))).toStrictEqual([
      expect.stringContaining('4:23: sessions.by_source.a.retention_days: 0'),
      expect.stringContaining('4:23: sessions.by_source.b.retention_days: 0'),
    ]);
  });

  it('accepts midnight as the hour of a reset', async () => {
    const { config } = await loadConfig(writeConfig('session_reset: { at_hour: 0, time_zone: Asia/Tokyo }'));
    expect(config.session_reset).toMatchObject({ at_hour: 0, time_zone: 'Asia/Tokyo' });
  });

  it('reports a file that cannot be read and never takes it for a missing one', async () => {
    const directory = join(tempDir(), 'directory');
    mkdirSync(directory);
    const result = await readConfig({ file: directory, env: {} });
    expect(result).toMatchObject({ status: 'invalid', issues: [{ key: '', where: directory }] });
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('reports a file without permission', async () => {
    const request = writeConfig('trash: {}');
    chmodSync(request.file, 0o000);
    expect(await readConfig(request)).toMatchObject({ status: 'invalid', issues: [{ where: request.file }] });
  });

  it('reports a file that is not UTF-8', async () => {
    const request = writeConfig(Buffer.from([0x74, 0xff, 0xfe]));
    const message = 'The file is not text in UTF-8. Save it as UTF-8.';
    expect(await readConfig(request)).toStrictEqual({
      status: 'invalid',
      issues: [{ key: '', where: request.file, message }],
    });
  });
});

/** What is wrong with a file of this text, as lines without the name of the file. */
async function linesFor(text: string): Promise<string[]> {
  const request = writeConfig(text);
  const result = await loadConfig(request).catch((error: unknown) => error);
  if (!(result instanceof Failure)) throw new Error('the text was accepted', { cause: result });
  return result.message.split('\n').map((line) => line.replace(`${request.file}:`, ''));
}

function aliased(days: number): string {
  return `sessions:\n  by_source:\n    a: &a\n      retention_days: ${days}\n    b: *a\n`;
}

function bomb(): string {
  return `a: &a [x]\nb: &b [ *a ]\nc: &c ${nine('b')}\nd: &d ${nine('c')}\ne: ${nine('d')}\n`;
}

function nine(name: string): string {
  return `[${Array.from({ length: 9 }, () => `*${name}`).join(', ')}]`;
}
