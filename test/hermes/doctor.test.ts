import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { runOn } from '../support/hermes-cli.ts';
import { dumpHermes } from '../support/hermes-dump.ts';
import { buildHermesHome, type HermesHomeSpec, hermesSql } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';

let home: string;
eachHermesScene((scene) => ({ home } = scene));

const change = (sql: string) => hermesSql(home, sql);

interface Report {
  readonly healthy: boolean;
  readonly checks: readonly { readonly name: string; readonly problems: readonly { readonly kind: string }[] }[];
}

async function examine(): Promise<{ code: number; kinds: Record<string, string[]> }> {
  const { code, out } = await runOn(home, ['--json', 'doctor']);
  const { checks } = JSON.parse(out) as Report;
  const bad = checks.filter(({ problems }) => problems.length > 0);
  return { code, kinds: Object.fromEntries(bad.map(({ name, problems }) => [name, problems.map(({ kind }) => kind)])) };
}

const SPEC: HermesHomeSpec = { sessions: [{ id: 's', messages: ['one', 'two'], files: ['snapshot', 'dump'] }] };

describe('examining a Hermes home', () => {
  for (const schema of [25, 30, 'legacy'] as const) {
    it(`finds nothing wrong with one that is in order (schema ${schema})`, async () => {
      buildHermesHome(home, { ...SPEC, schema });
      const { code, out } = await runOn(home, ['doctor']);
      expect({ code, last: out.split('\n').at(-2) }).toEqual({
        code: 0,
        last: 'Everything is in order. Nothing was changed.',
      });
    });
  }

  it('names routes that lead nowhere, files of nobody and settings that do nothing, which breaks nothing', async () => {
    buildHermesHome(home, {
      ...SPEC,
      routes: [{ key: 'agent:main:telegram:dm:1', sessionId: 'long-gone' }],
      files: {
        'sessions/20260101_000000_abcdef.jsonl': '{}\n',
        'config.yaml': 'sessions: { auto_prune: false, retention_days: 30 }\n',
        'mine.txt': 'mine',
      },
    });
    expect(await examine()).toEqual({
      code: 0,
      kinds: {
        routes: ['route-to-nothing'],
        'sessions and files': ['unknown-file', 'orphan'],
        'config.yaml': ['config-no-effect'],
      },
    });
  });

  it('looks into the environment of Hermes for the key of its API server, and never shows it', async () => {
    const config = 'platforms: { api_server: { enabled: true } }\n';
    buildHermesHome(home, { ...SPEC, files: { 'config.yaml': config } });
    expect((await examine()).kinds).toEqual({ 'config.yaml': ['config-surprise'] });
    writeFileSync(join(home, '.env'), 'export API_SERVER_KEY="top secret"\n');
    const { out } = await runOn(home, ['doctor']);
    expect(out).toContain('Everything is in order.');
    expect(out).not.toContain('top secret');
  });

  it('says why a home is only shown', async () => {
    buildHermesHome(home, SPEC);
    change('UPDATE schema_version SET version = 99');
    expect(await examine()).toEqual({ code: 0, kinds: { 'hermes home': ['schema-newer'] } });
  });

  it('finds messages that the search index does not know', async () => {
    buildHermesHome(home, SPEC);
    change(
      `DROP TRIGGER messages_fts_insert; INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'x', 1)`,
    );
    const { code, kinds } = await examine();
    expect(code).toBe(12);
    expect(kinds['search index']).toEqual(['index-behind']);
  });

  it('reports a database that cannot be read, and does not stop there', async () => {
    buildHermesHome(home, { ...SPEC, files: { 'SOUL.md': 'me' } });
    writeFileSync(join(home, 'state.db'), 'not a database'.repeat(1000));
    const { code, kinds } = await examine();
    expect(code).toBe(12);
    expect(kinds['hermes home']).toEqual(['database-unreadable']);
    expect(kinds['database']).toEqual(['database-damaged']);
    expect((await runOn(home, ['status'])).out).toMatch(
      /^Note: This home is shown and not changed\. Its database cannot be read/,
    );
    const { code: listCode, err } = await runOn(home, ['sessions', 'list']);
    expect(listCode).toBe(12);
    expect(err).toContain('cannot be read');
  });

  it('repairs nothing that is not its own', async () => {
    const files = { 'mine.txt': 'mine', 'sessions/20260101_000000_abcdef.jsonl': '{}\n' };
    buildHermesHome(home, { ...SPEC, files });
    const before = dumpHermes(home, ['one']);
    const { code, out } = await runOn(home, ['doctor', '--repair']);
    expect({ code, last: out.split('\n').at(-2) }).toEqual({
      code: 0,
      last: 'Everything that matters is in order. Nothing was changed.',
    });
    expect(dumpHermes(home, ['one'])).toEqual(before);
  });
});

describe('repairing what Coppice keeps in a Hermes home', () => {
  const own = () => join(home, '.coppice');

  async function archived(): Promise<unknown> {
    buildHermesHome(home, {
      sessions: [
        { id: 'old', messages: ['needle one'], title: 'Old' },
        { id: 's', end: 'open' },
      ],
    });
    expect((await runOn(home, ['sessions', 'archive', '--older-than', '30d', '--yes'])).code).toBe(0);
    return dumpHermes(home, ['one']);
  }

  it('closes its files to others', async () => {
    const before = await archived();
    chmodSync(join(own(), 'state.db'), 0o644);
    expect((await examine()).kinds['records of Coppice']).toEqual(['open-to-others']);
    const { code, out } = await runOn(home, ['doctor', '--repair']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('1 file or folder closed.') });
    expect(statSync(join(own(), 'state.db')).mode & 0o077).toBe(0);
    expect(await examine()).toEqual({ code: 0, kinds: {} });
    expect(dumpHermes(home, ['one'])).toEqual(before);
  });

  it('builds the index of what it has archived again', async () => {
    const before = await archived();
    const db = new BetterSqlite3(join(own(), 'state.db'));
    db.exec(`INSERT INTO archive_words (archive_words) VALUES ('delete-all')`);
    db.close();
    expect((await examine()).code).toBe(12);
    const { out } = await runOn(home, ['doctor', '--repair']);
    expect(out).toMatch(/complete again\./);
    expect((await examine()).code).toBe(0);
    expect(dumpHermes(home, ['one'])).toEqual(before);
  });

  it('does not write to its own database when that is damaged, and says so', async () => {
    await archived();
    writeFileSync(join(own(), 'state.db'), 'x'.repeat(20_000), { flag: 'r+' });
    const { code, out, err } = await runOn(home, ['doctor', '--repair']);
    expect(code).toBe(12);
    expect(out + err).toMatch(/state\.db|not a database/);
  });
});
