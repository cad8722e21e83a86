import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { writeConfig } from '../../../test/support/config-file.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { Failure } from '../../core/failure.ts';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import { loadConfig, readConfig } from './load-config.ts';

describe('loadConfig', () => {
  it('gives the defaults when there is no file', async () => {
    const file = join(tempDir(), 'missing', 'config.yaml');
    const loaded = await loadConfig({ file, env: { COPPICE_HOME: '/home', PATH: '/bin' } });
    expect(loaded).toMatchObject({ config: DEFAULT_CONFIG, file, fileExists: false });
    expect(loaded.origins.get('sessions.keep_tags')).toStrictEqual({ level: 'default' });
  });

  it.each([
    ['nothing', ''],
    ['comments', '# later\n'],
    ['a byte order mark', '\uFEFF'],
    ['empty sections', 'sessions:\n  by_source:\n    cron:\n    telegram:\ndisk:\n  by_source:\n    cron:\nlimits:\n'],
  ])('gives the defaults for a file of %s', async (_, text) => {
    const loaded = await loadConfig(writeConfig(text));
    expect(loaded).toMatchObject({ config: DEFAULT_CONFIG, fileExists: true });
    expect(new Set([...loaded.origins.values()].map(({ level }) => level))).toStrictEqual(new Set(['default']));
  });

  it('takes a flag before a variable, a variable before the file, and the file before the default', async () => {
    const request = writeConfig('sessions:\n  retention_days: 1\n  max_mb: 1\n  keep_last: 2\n');
    const { config, origins, file } = await loadConfig({
      ...request,
      env: { COPPICE_SESSIONS__RETENTION_DAYS: '2', COPPICE_SESSIONS__MAX_MB: '2' },
      overrides: [{ key: 'sessions.retention_days', value: '3' }],
    });
    expect(config.sessions).toMatchObject({ retention_days: 3, max_mb: 2, keep_last: 2, max_messages: 1000 });
    expect(origins.get('sessions.retention_days')).toStrictEqual({
      level: 'flag',
      where: '--set sessions.retention_days',
    });
    expect(origins.get('sessions.max_mb')).toStrictEqual({ level: 'environment', where: 'COPPICE_SESSIONS__MAX_MB' });
    expect(origins.get('sessions.keep_last')).toStrictEqual({ level: 'file', where: `${file}:4` });
    expect(origins.get('sessions.max_messages')).toStrictEqual({ level: 'default' });
  });

  it('merges what several levels say about one source', async () => {
    const request = writeConfig('sessions: { by_source: { cron: { retention_days: 5 }, constructor: { max_mb: 4 } } }');
    const { config, origins } = await loadConfig({
      ...request,
      env: { COPPICE_SESSIONS__BY_SOURCE__CRON__TRANSCRIPTS: 'on' },
      overrides: [{ key: 'sessions.by_source.cron.keep_tags', value: '[a, b]' }],
    });
    expect(config.sessions.by_source.cron).toStrictEqual({
      retention_days: 5,
      transcripts: 'on',
      keep_tags: ['a', 'b'],
    });
    expect(config.sessions.by_source['constructor']).toStrictEqual({ max_mb: 4 });
    expect(origins.get('sessions.by_source.cron.retention_days')?.level).toBe('file');
  });

  it('lists every issue with its place and says what to do next', async () => {
    const request = writeConfig('sessions:\n  retention_days: 0\n  max_mgs: 3\n');
    const failure = await loadConfig(request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      code: 'bad-config',
      message: [
        `${request.file}:2:19: sessions.retention_days: 0 is not possible here. Write a number of days from 1 to 36,500, or never.`,
        `${request.file}:3:3: sessions.max_mgs: There is no such key. Did you mean sessions.max_mb?`,
      ].join('\n'),
      hint: 'Nothing was changed. Fix it and run: coppice config check',
    });
  });

  it('loads neither the schema nor the YAML parser when nothing is configured', async () => {
    const loaded: string[] = [];
    for (const name of ['zod', 'yaml']) {
      vi.doMock(name, async (importOriginal) => {
        loaded.push(name);
        return await importOriginal();
      });
    }
    vi.resetModules();
    const fresh = await import('./load-config.ts');
    await fresh.loadConfig({ file: join(tempDir(), 'missing.yaml'), env: { COPPICE_HOME: '/home' } });
    expect(loaded).toStrictEqual([]);
    await fresh.loadConfig(writeConfig('trash:\n  grace_days: 3\n'));
    expect(loaded.toSorted()).toStrictEqual(['yaml', 'zod']);
    vi.doUnmock('zod');
    vi.doUnmock('yaml');
  });
});

describe('readConfig, outside the file', () => {
  it('spells suggestions the way they are written there', async () => {
    const result = await readConfig({
      file: join(tempDir(), 'missing.yaml'),
      env: {
        COPPICE_HOME: '/x',
        COPPICE_TORTURE: '1',
        COPPICE_SESIONS__RETENTION_DAYS: '3',
        COPPICE_SESSIONS__RETENTION_HOURS: '3',
        COPPICE_SESSIONS__MAX_MB: '',
        COPPICE_SESSIONS__KEEP_TAGS: '[a',
        COPPICE___PROTO____X: '1',
      },
      overrides: [
        { key: 'retention_days', value: '3' },
        { key: 'sessions.keep_last', value: '0' },
      ],
    });
    const issues = result.status === 'invalid' ? result.issues : [];
    expect(issues.map(({ where, message }) => [where, message])).toStrictEqual([
      ['COPPICE_SESIONS__RETENTION_DAYS', 'There is no such key. Did you mean COPPICE_SESSIONS__RETENTION_DAYS?'],
      ['COPPICE_SESSIONS__KEEP_TAGS', expect.stringContaining('This is not valid YAML')],
      ['COPPICE_SESSIONS__MAX_MB', expect.stringContaining('An empty value is not possible here.')],
      [
        'COPPICE_SESSIONS__RETENTION_HOURS',
        'There is no such key. Did you mean COPPICE_SESSIONS__RETENTION_DAYS? Its unit is days.',
      ],
      ['COPPICE___PROTO____X', expect.stringContaining('There is no such key.')],
      ['--set retention_days', 'There is no such key. Did you mean sessions.retention_days?'],
      ['--set sessions.keep_last', expect.stringContaining('0 is not possible here.')],
    ]);
  });

  it('reports a wrong value in the file even when a flag would hide it', async () => {
    const request = writeConfig('sessions: { retention_days: 0 }');
    const overrides = [{ key: 'sessions.retention_days', value: '30' }];
    expect(await readConfig({ ...request, overrides })).toMatchObject({
      status: 'invalid',
      issues: [{ where: `${request.file}:1:29` }],
    });
  });
});
