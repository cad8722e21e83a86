import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { linesIn, parseArchiveLine } from '../../src/keeping/archive/archive-lines.ts';
import { memberStretches } from '../../src/keeping/archive/archive-member.ts';
import { collect } from '../support/collect.ts';
import { openNativeStore } from '../support/native-store.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A home with two archived sessions, as it was written when the archive was of version 1. */
const FIXTURE = fileURLToPath(new URL('../fixtures/archive-version-1.tar.gz', import.meta.url));
const IDS = ['in brotli', 'in gzip'];

function unpackHome(): string {
  const directory = tempDir();
  expect(spawnSync('tar', ['-xzf', FIXTURE, '-C', directory]).status).toBe(0);
  return join(directory, 'home');
}

describe('an archive of version 1', () => {
  it('comes back as it was: messages, facts, usage and files', async () => {
    const path = unpackHome();
    await using home = await openHome({ path });
    await (await home.retention()).restore(IDS);
    for (const id of IDS) {
      const session = await home.sessions.open(id);
      const messages = await collect(session.messages());
      expect(messages.map(({ seq, role, content }) => [seq, role, content])).toEqual([
        [1, 'user', 'plant the quince'],
        [2, 'assistant', 'I look first.'],
        [3, 'tool', 'no such file'],
        [4, 'user', 'a NUL \0, half a pair \ud83d, and 磁盘已满'],
        [
          5,
          'user',
          [
            { type: 'text', text: 'what is this?' },
            { type: 'image', source: { data: 'aGk=' } },
          ],
        ],
        [6, 'tool', 'printed\n'],
      ]);
      const calls = [{ id: 'c1', name: 'read_file', arguments: { path: 'garden.md', deep: [1, 0.5, null] } }];
      expect(messages[1]).toMatchObject({ toolCalls: calls, model: 'large' });
      expect(messages[2]).toMatchObject({ toolCallId: 'c1', name: 'read_file', failed: true, metadata: { exit: 1 } });
      expect(await session.usageByModel()).toMatchObject([
        { model: 'large', inputTokens: 1200, outputTokens: 30, costUsd: 0.012345678 },
        { model: 'small', cacheReadTokens: 7 },
      ]);
      expect(await session.facts()).toMatchObject({ workdir: '/srv/garden', tags: ['a', 'b'], messageCount: 5 });
    }
    expect((await collect(home.check())).flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('says what the archive of today says of the same sessions', async () => {
    const path = unpackHome();
    await using store = await openNativeStore(path);
    const held = new Map<string, unknown[]>();
    for await (const { session, member } of store.archive.list()) {
      const lines: unknown[] = [];
      for await (const some of memberStretches(join(path, 'archive', member.bundle), member))
        for (const line of linesIn(some)) lines.push(parseArchiveLine(line));
      held.set(session.id, lines);
    }
    expect([...held.keys()]).toEqual(IDS);
    expect(readdirSync(join(path, 'archive'))).toHaveLength(2);
    await store[Symbol.asyncDispose]();
    const home = await openHome({ path });
    await (await home.retention()).restore(IDS);
    await home.close();
    await using after = await openNativeStore(path);
    for (const id of IDS) {
      const now = (await collect(after.archive.documents(id))).flat().map((line) => JSON.parse(line) as unknown);
      expect(held.get(id)?.slice(1, 1 + now.length)).toEqual(now);
    }
  });
});
