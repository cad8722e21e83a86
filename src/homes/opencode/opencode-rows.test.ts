import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import { dumpFileHome } from '../../../test/support/file-home-scene.ts';
import { readerAt } from '../../../test/support/foreign-reader.ts';
import { changeDatabase, LONG_AGO, putDatabase, putSession } from '../../../test/support/opencode-home.ts';
import { buildOpencode } from '../../../test/support/opencode-scene.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { contentText } from '../../core/sessions/message.ts';
import { totalTokens } from '../../core/sessions/session.ts';
import { opencodeKind } from './opencode-kind.ts';

const readerOf = (home: string) => readerAt(opencodeKind, home);

describe('the sessions of opencode', () => {
  it('are read with what their rows say, where all of it is in the log', async () => {
    const home = tempDir();
    buildOpencode(home);
    const before = dumpFileHome(home);
    const reader = await readerOf(home);
    expect(await reader.get('ses_plain')).toMatchObject({
      title: 'About ses_plain',
      workdir: '/home/ada/work',
      model: 'some-model',
      messageCount: 3,
      toolCallCount: 1,
      usage: { inputTokens: 100, outputTokens: 12, reasoningTokens: 2, cacheReadTokens: 5, costUsd: 0.001 },
    });
    expect(await reader.get('ses_child')).toMatchObject({ parentId: 'ses_plain', childKind: 'subagent' });
    expect((await reader.get('ses_archived'))?.tags).toEqual(['opencode:archived']);
    expect(await reader.get('ses_deleted')).toBeUndefined();
    expect(dumpFileHome(home)).toEqual(before);
  });

  it('count what a fork repeats once, in the session that it came from', async () => {
    const home = tempDir();
    buildOpencode(home);
    const reader = await readerOf(home);
    const fork = await reader.get('ses_fork');
    expect(fork).toMatchObject({ parentId: 'ses_plain', childKind: 'branch', usage: { inputTokens: 7 } });
    const sums = (await collect(reader.list())).map(({ usage }) => totalTokens(usage));
    expect(sums.reduce((sum, tokens) => sum + tokens, 0)).toBe(117 + 24);
  });

  it('are read in parts, whatever was said meanwhile, and numbered from 1', async () => {
    const home = tempDir();
    const messages = Array.from({ length: 120 }, (_, at) => ({
      id: `msg_${119 - at}`,
      at: LONG_AGO + Math.floor(at / 2),
    }));
    putDatabase(home, { write: (db) => putSession(db, { id: 'ses_long', at: LONG_AGO, messages }) });
    const reader = await readerOf(home);
    const read: string[] = [];
    for await (const { seq, content } of reader.messages('ses_long')) {
      read.push(`${seq} ${contentText(content)}`);
      if (seq === 10) changeDatabase(home, (db) => db.exec("DELETE FROM message WHERE id = 'msg_5'"));
    }
    // Of two that came in the same moment, the one with the smaller id is first.
    const inOrder = messages
      .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
      .filter(({ id }) => id !== 'msg_5');
    expect(read).toEqual(inOrder.map(({ id }, at) => `${at + 1} Said in ${id}`));
  });

  it('of several channels are all there, each once', async () => {
    const home = tempDir();
    buildOpencode(home);
    const at = LONG_AGO;
    putDatabase(home, {
      name: 'opencode-beta.db',
      write(db) {
        putSession(db, { id: 'ses_beta', at });
        putSession(db, { id: 'ses_plain', at, title: 'a copy' });
      },
    });
    const ids = (await collect((await readerOf(home)).list())).map(({ id, title }) => `${id} ${title}`);
    expect(ids.toSorted()).toEqual(
      ['archived', 'beta', 'child', 'fork', 'plain'].map((name) =>
        name === 'fork' ? 'ses_fork About ses_plain (fork #1)' : `ses_${name} About ses_${name}`,
      ),
    );
  });

  it('survive rows that no program of theirs writes', async () => {
    const home = tempDir();
    buildOpencode(home, { inLog: false });
    changeDatabase(home, (db) => {
      db.exec("UPDATE message SET data = 'no JSON' WHERE id = 'msg_a_2'");
      db.exec("UPDATE session SET time_updated = 'never', model = x'00', title = '' WHERE id = 'ses_plain'");
    });
    const facts = await (await readerOf(home)).get('ses_plain');
    expect(facts).toMatchObject({ id: 'ses_plain', messageCount: 1, usage: { inputTokens: 0 } });
    expect(facts?.title).toBeUndefined();
  });

  it('show an id that a shell would take for more as one word of the command', async () => {
    const home = tempDir();
    const id = 'ses_$(rm -rf ~) x';
    putDatabase(home, { write: (db) => putSession(db, { id, at: LONG_AGO }) });
    const command = `opencode export '${id}' > '${id}.json' && opencode session delete '${id}'`;
    expect((await (await readerOf(home)).get(id))?.hold).toEqual({ kind: 'through-owner', command });
  });
});
