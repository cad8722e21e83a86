import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { changeDatabase } from '../support/opencode-home.ts';
import { buildOpencode } from '../support/opencode-scene.ts';
import { tempDir } from '../support/temp-dir.ts';

describe('the search index over a home whose sessions are rows', () => {
  it('finds what its database says now, and nothing that went', async () => {
    const root = tempDir();
    const home = join(root, 'opencode');
    buildOpencode(home);
    const env = { COPPICE_HOME: join(root, 'own') };
    const find = async (text: string) => {
      await using opened = await openHome({ path: home, env });
      const hits = await opened.sessions.search({ text });
      return hits.map(({ session, message }) => `${session.id} ${message?.role ?? 'title'}`);
    };
    const before = await find('heliotrope');
    changeDatabase(home, (db) => {
      const data = JSON.stringify({ type: 'text', text: 'a heliotrope by the window' });
      db.prepare("UPDATE part SET data = ? WHERE id = (SELECT min(id) FROM part WHERE session_id = 'ses_plain')").run(
        data,
      );
      db.exec("UPDATE session SET time_updated = time_updated + 1000 WHERE id = 'ses_plain'");
    });
    const found = await find('heliotrope');
    expect([before, found.map((hit) => hit.split(' ')[0])]).toEqual([[], ['ses_plain']]);
    expect(await find('"About ses_plain"')).toContain('ses_plain title');
    changeDatabase(home, (db) => {
      db.exec("DELETE FROM part WHERE session_id = 'ses_plain'");
      db.exec("DELETE FROM message WHERE session_id = 'ses_plain'");
      db.exec("DELETE FROM session WHERE id = 'ses_plain'");
    });
    expect(await find('heliotrope')).toEqual([]);
  });
});
