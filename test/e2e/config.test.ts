import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();
const fresh = join(root, 'fresh');

interface Settings {
  readonly settings: readonly { readonly key: string; readonly value: unknown; readonly level: string }[];
}

describe('coppice config', () => {
  it('answers without making a home', async () => {
    const file = join(fresh, 'config.yaml');
    expect(await coppice(fresh, ['config', 'path'])).toEqual({ code: 0, stdout: `${file}\n`, stderr: '' });
    expect(await coppiceJson(fresh, ['config', 'path'])).toEqual({ schemaVersion: 1, file });
    expect((await coppice(fresh, ['config', 'show'])).stdout).toContain('coppice config show --effective');
    expect((await coppice(fresh, ['config', 'check'])).stdout).toContain('Write one with: coppice config init');
    expect(await coppiceJson(fresh, ['config', 'check'])).toEqual({ schemaVersion: 1, file, valid: true, issues: [] });
    expect(existsSync(fresh)).toBe(false);
  });

  it('prints a schema that an editor can use as it is', async () => {
    const schema = JSON.parse((await coppice(fresh, ['config', 'schema'])).stdout) as { properties: object };
    expect(Object.keys(schema.properties)).toContain('sessions');
    expect(await coppiceJson(fresh, ['config', 'schema'])).toEqual(schema);
  });

  it('writes a file that changes nothing, once', async () => {
    const home = join(root, 'init');
    const file = join(home, 'config.yaml');
    const written = await coppice(home, ['config', 'init']);
    expect(written).toMatchObject({ code: 0, stderr: '' });
    expect(written.stdout).toBe(`Wrote ${file}.\nIt explains every setting; edit it, then run: coppice config check\n`);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await coppice(home, ['config', 'show'])).stdout).toBe(readFileSync(file, 'utf8'));
    expect(await coppice(home, ['config', 'check'])).toEqual({ code: 0, stdout: `${file} is valid.\n`, stderr: '' });
    expect((await coppiceJson<Settings>(home, ['config', 'show'])).settings).toEqual([]);

    const again = await coppice(home, ['config', 'init']);
    expect(again).toMatchObject({ code: 5, stdout: '' });
    expect(again.stderr).toMatch(/^coppice: \/.*config\.yaml is there already\.\n.*coppice config init --force\n$/);
    expect(await coppiceJson(home, ['config', 'init', '--force'])).toEqual({ schemaVersion: 1, file });
  });

  it('says of every value in force which level set it: file, environment, then the command line', async () => {
    const home = join(root, 'levels');
    await coppice(home, ['config', 'init']);
    const text = 'sessions:\n  retention_days: 30\n  min_age_hours: 48\n  trivial_days: 9\n';
    writeFileSync(join(home, 'config.yaml'), text);
    const env = { COPPICE_SESSIONS__MIN_AGE_HOURS: '72', COPPICE_SESSIONS__TRIVIAL_DAYS: '8' };
    const args = ['config', 'show', '--effective', '--set', 'sessions.trivial_days=7'];
    const { code, stdout, stderr } = await coppice(home, args, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^SETTING +VALUE +SET BY\n/);
    for (const line of [
      /^sessions\.retention_days +30 +file \(.*config\.yaml:2.*\)$/m,
      /^sessions\.min_age_hours +72 +environment \(.*\)$/m,
      /^sessions\.trivial_days +7 +.*--set.*$/m,
      /^sessions\.trivial_max +\d+ +default$/m,
    ])
      expect(stdout).toMatch(line);
    const { settings } = await coppiceJson<Settings>(home, ['config', 'show', '--effective']);
    expect(settings).toContainEqual(
      expect.objectContaining({ key: 'sessions.retention_days', value: 30, level: 'file' }),
    );
  });

  it('names every mistake with its line and what to write instead', async () => {
    const home = join(root, 'mistakes');
    await coppice(home, ['config', 'init']);
    const file = join(home, 'config.yaml');
    writeFileSync(file, 'sessions:\n  retention_dayz: 30\n  trivial_days: 0\n');
    const { code, stdout, stderr } = await coppice(home, ['config', 'check']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(stdout).toMatch(/config\.yaml:2:\d+: sessions\.retention_dayz: .*Did you mean sessions\.retention_days\?/);
    expect(stdout).toMatch(/config\.yaml:3:\d+: sessions\.trivial_days: /);
    const checked = await coppice(home, ['config', 'check', '--json']);
    expect(checked.code).toBe(2);
    const document = JSON.parse(checked.stdout) as { valid: boolean; issues: unknown[] };
    expect([document.valid, document.issues.length]).toEqual([false, 2]);
  });
});

describe('coppice completion', () => {
  it.concurrent.each(['bash', 'zsh', 'fish'])('prints a script for %s that knows the commands', async (shell) => {
    const { code, stdout, stderr } = await coppice(fresh, ['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['sessions', 'doctor', 'rename', 'effective']) expect(stdout).toContain(word);
  });
});
