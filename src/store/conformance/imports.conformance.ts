import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { checkProblems, collect, messagesOf, user } from '../../../test/support/collect.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import type { ImportedSession } from '../../core/sessions/import-store.ts';
import type { Message } from '../../core/sessions/message.ts';
import { type ModelUsage, NO_USAGE } from '../../core/sessions/session.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';

/** Sessions that appear whole or not at all. */
export function importsConformance(desk: StoreDesk): void {
  const { create, factsOf, contents, listed, foundIds, held, reopen } = desk;

  describe('imports', () => {
    it('takes messages in order only, each number once', async () => {
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1), importedMessage(4)]);
      for (const wrong of [[4], [3], [5, 5], [6, 5], [0]]) {
        const messages = wrong.map((seq) => importedMessage(seq));
        await expect(desk.store.imports.append('i', messages)).rejects.toMatchObject({ code: 'usage' });
      }
      await desk.store.imports.finish(imported());
      expect((await messagesOf(desk.store, 'i')).map(({ seq }) => seq)).toEqual([1, 4]);
    });

    it('shows nothing until it is finished, then everything', async () => {
      const usage: ModelUsage = { ...NO_USAGE, model: 'm', costUsd: 0.3, inputTokens: 7 };
      const session = imported({
        title: 'spline',
        tags: ['x'],
        pinned: true,
        endedAt: NOW - HOUR_MS,
        endReason: 'done',
        parentId: 'not-imported',
        childKind: 'branch',
        usageByModel: [usage],
      });
      await desk.store.imports.begin(session);
      await desk.store.imports.append('i', [importedMessage(1), importedMessage(2, 'spline')]);
      expect(await desk.store.get('i')).toBeUndefined();
      expect(await listed()).toEqual([]);
      expect(await desk.store.idsNamed({ kind: 'id-start', text: 'i' }, 5)).toEqual([]);
      expect(await foundIds('spline')).toEqual([]);
      await expect(desk.store.append('i', [user('x')])).rejects.toMatchObject({ code: 'not-found' });
      await desk.store.imports.finish(session);
      const { usageByModel, ...facts } = session;
      expect(await desk.store.get('i')).toMatchObject({
        ...facts,
        messageCount: 2,
        usage: { inputTokens: 7, costUsd: 0.3 },
      });
      expect(await desk.store.usageByModel('i')).toEqual(usageByModel);
      expect(await messagesOf(desk.store, 'i')).toEqual([importedMessage(1), importedMessage(2, 'spline')]);
      expect(await foundIds('spline')).toEqual(['i']);
      expect(await held()).toEqual([]);
      expect(await checkProblems(desk.store)).toEqual([]);
    });

    it('leaves nothing of an import that is abandoned', async () => {
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1)]);
      await desk.store.imports.abandon('i');
      await desk.store.imports.abandon('i');
      await expect(desk.store.imports.append('i', [importedMessage(2)])).rejects.toMatchObject({ code: 'refused' });
      await expect(desk.store.imports.finish(imported())).rejects.toMatchObject({ code: 'refused' });
      expect(await desk.store.get('i')).toBeUndefined();
      await create({ id: 'i' });
      expect(await contents('i')).toEqual([]);
      expect(await collect(desk.store.ledger())).toEqual([]);
    });

    it('begins anew after an import that was cut short', async () => {
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1, 'old'), importedMessage(2, 'old')]);
      await reopen();
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1, 'new')]);
      await desk.store.imports.finish(imported());
      expect(await contents('i')).toEqual(['new']);
    });

    it('refuses an id that is there, and does not touch it', async () => {
      await create({ id: 'i' });
      await desk.store.append('i', [user('mine')]);
      await expect(desk.store.imports.begin(imported())).rejects.toMatchObject({ code: 'refused' });
      await desk.store.imports.abandon('i');
      expect(await contents('i')).toEqual(['mine']);
    });

    it('keeps gaps between numbers, reads the newest across them and counts on from the last', async () => {
      await desk.store.imports.begin(imported());
      await desk.store.imports.append('i', [importedMessage(1), importedMessage(5), importedMessage(9)]);
      await desk.store.imports.finish(imported());
      expect((await messagesOf(desk.store, 'i', { last: 2 })).map(({ seq }) => seq)).toEqual([5, 9]);
      expect(await desk.store.append('i', [user('next')])).toMatchObject({ firstSeq: 10, lastSeq: 10 });
      expect(await factsOf('i')).toMatchObject({ messageCount: 4 });
      expect(await checkProblems(desk.store)).toEqual([]);
    });

    it('keeps any message exactly', async () => {
      await desk.store.imports.begin(imported());
      const given: Message = {
        ...importedMessage(1, 'half \ud83d and \0'),
        toolCalls: [{ id: '1', name: 't', arguments: '\ud83d' }],
      };
      await desk.store.imports.append('i', [given]);
      await desk.store.imports.finish(imported());
      expect(await messagesOf(desk.store, 'i')).toEqual([given]);
    });
  });
}

/** A session as an import describes it. */
function imported(session: Partial<ImportedSession> = {}): ImportedSession {
  return {
    id: 'i',
    source: 'cli',
    startedAt: NOW - DAY_MS,
    lastActiveAt: NOW - HOUR_MS,
    pinned: false,
    usageByModel: [],
    ...session,
  };
}

function importedMessage(seq: number, content = `message ${seq}`): Message {
  return {
    seq,
    at: NOW - DAY_MS + seq,
    role: 'user',
    content,
  };
}
