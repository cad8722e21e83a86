import assert from 'node:assert/strict';
import { checkProblems, collect, messagesOf, user } from './asking.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import type { Message } from '../../core/sessions/message.ts';
import { type ModelUsage, NO_USAGE } from '../../core/sessions/session.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** Sessions that appear whole or not at all. */
export const importCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'imports: takes messages in order only, each number once',
    async run(desk) {
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1), importedMessage(4)]);
      for (const wrong of [[4], [3], [5, 5], [6, 5], [0]]) {
        const messages = wrong.map((seq) => importedMessage(seq));
        await assert.rejects(desk.store.imports.append('i', messages), { code: 'usage' });
      }
      await desk.store.imports.finish(imported());
      assert.deepEqual(
        (await messagesOf(desk.store, 'i')).map(({ seq }) => seq),
        [1, 4],
      );
    },
  },
  {
    name: 'imports: shows nothing until it is finished, then everything',
    async run(desk) {
      const usage: ModelUsage = { ...NO_USAGE, model: 'm', costUsd: 0.3, inputTokens: 7 };
      const session = imported({
        title: 'spline',
        tags: ['x'],
        pinned: true,
        endedAt: KIT_NOW - HOUR_MS,
        endReason: 'done',
        parentId: 'not-imported',
        childKind: 'branch',
        usageByModel: [usage],
      });
      await desk.store.imports.begin(session);
      await desk.store.imports.append('i', [importedMessage(1), importedMessage(2, 'spline')]);
      assert.equal(await desk.store.get('i'), undefined);
      assert.deepEqual(await desk.listed(), []);
      assert.deepEqual(await desk.store.idsNamed({ kind: 'id-start', text: 'i' }, 5), []);
      assert.deepEqual(await desk.foundIds('spline'), []);
      await assert.rejects(desk.store.append('i', [user('x')]), { code: 'not-found' });
      await desk.store.imports.finish(session);
      const { usageByModel, ...facts } = session;
      has(await desk.store.get('i'), {
        ...facts,
        messageCount: 2,
        usage: { inputTokens: 7, costUsd: 0.3 },
      });
      assert.deepEqual(await desk.store.usageByModel('i'), usageByModel);
      assert.deepEqual(await messagesOf(desk.store, 'i'), [importedMessage(1), importedMessage(2, 'spline')]);
      assert.deepEqual(await desk.foundIds('spline'), ['i']);
      assert.deepEqual(await desk.held(), []);
      assert.deepEqual(await checkProblems(desk.store), []);
    },
  },
  {
    name: 'imports: leaves nothing of an import that is abandoned',
    async run(desk) {
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1)]);
      await desk.store.imports.abandon('i');
      await desk.store.imports.abandon('i');
      await assert.rejects(desk.store.imports.append('i', [importedMessage(2)]), { code: 'refused' });
      await assert.rejects(desk.store.imports.finish(imported()), { code: 'refused' });
      assert.equal(await desk.store.get('i'), undefined);
      await desk.create({ id: 'i' });
      assert.deepEqual(await desk.contents('i'), []);
      assert.deepEqual(await collect(desk.store.ledger()), []);
    },
  },
  {
    name: 'imports: begins anew after an import that was cut short',
    async run(desk) {
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1, 'old'), importedMessage(2, 'old')]);
      await desk.reopen();
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1, 'new')]);
      await desk.store.imports.finish(imported());
      assert.deepEqual(await desk.contents('i'), ['new']);
    },
  },
  {
    name: 'imports: refuses an id that is there, and does not touch it',
    async run(desk) {
      await desk.create({ id: 'i' });
      await desk.store.append('i', [user('mine')]);
      await assert.rejects(desk.store.imports.begin(imported()), { code: 'refused' });
      await desk.store.imports.abandon('i');
      assert.deepEqual(await desk.contents('i'), ['mine']);
    },
  },
  {
    name: 'imports: keeps gaps between numbers, reads the newest across them and counts on from the last',
    async run(desk) {
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1), importedMessage(5), importedMessage(9)]);
      await desk.store.imports.finish(imported());
      assert.deepEqual(
        (await messagesOf(desk.store, 'i', { last: 2 })).map(({ seq }) => seq),
        [5, 9],
      );
      has(await desk.store.append('i', [user('next')]), { firstSeq: 10, lastSeq: 10 });
      has(await desk.factsOf('i'), { messageCount: 4 });
      assert.deepEqual(await checkProblems(desk.store), []);
    },
  },
  {
    name: 'imports: keeps any message exactly',
    async run(desk) {
      await desk.store.imports.begin(imported());
      const given: Message = {
        ...importedMessage(1, 'half \ud83d and \0'),
        toolCalls: [{ id: '1', name: 't', arguments: '\ud83d' }],
      };
      await desk.store.imports.append('i', [given]);
      await desk.store.imports.finish(imported());
      assert.deepEqual(await messagesOf(desk.store, 'i'), [given]);
    },
  },
]);

/** A session as an import describes it. */
function imported(session: Partial<ImportedSession> = {}): ImportedSession {
  return {
    id: 'i',
    source: 'cli',
    startedAt: KIT_NOW - DAY_MS,
    lastActiveAt: KIT_NOW - HOUR_MS,
    pinned: false,
    usageByModel: [],
    ...session,
  };
}

function importedMessage(seq: number, content = `message ${seq}`): Message {
  return {
    seq,
    at: KIT_NOW - DAY_MS + seq,
    role: 'user',
    content,
  };
}
