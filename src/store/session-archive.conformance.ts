import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anyMessage } from '../../test/support/any-message.ts';
import { type ManualClock, manualClock } from '../../test/support/clock.ts';
import { checkProblems, collect, messagesOf, user } from '../../test/support/collect.ts';
import { NO_FILES, removeSessions } from '../../test/support/remove-sessions.ts';
import type { StorePlace } from '../../test/support/store-desk.ts';
import type { ArchiveDocument, ArchiveMember } from '../core/sessions/session-archive.ts';
import type { SessionStore } from '../core/sessions/session-store.ts';
import { sessionFingerprint } from '../core/sessions/session-trash.ts';

const MEMBER: ArchiveMember = {
  bundle: 'one.tar',
  offsetBytes: 512,
  lengthBytes: 100,
  codec: 'brotli',
  sha256: 'aa',
  plainBytes: 1000,
  lineCount: 9,
};

/** The contract of `SessionArchive`, as behaviour. `newPlace` gives an empty place for each test. */
export function sessionArchiveConformance(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(`${name}: archived sessions`, () => {
    let place: StorePlace;
    let clock: ManualClock;
    let store: SessionStore;

    beforeEach(async () => {
      place = await newPlace();
      clock = manualClock();
      store = await place.open({ clock });
      await store.create({ id: 's', source: 'cli', title: 'Orchard' });
      await store.append('s', ['plant the quince', 'water it', '磁盘已满'].map(user));
      await store.append('s', [{ role: 'assistant', content: 'a secret reply' }]);
      await store.recordUsage('s', { model: 'm', inputTokens: 5, costUsd: 0.25 });
      await store.end('s', 'done');
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });

    const requestOf = async (id = 's') => {
      const facts = await store.get(id);
      return { number: 1, id, fingerprint: facts === undefined ? '' : sessionFingerprint(facts), member: MEMBER };
    };
    const seal = async (files = NO_FILES) => store.archive.seal('r', [await requestOf()], { files, deadHolders: [] });
    const documentsOf = async (id = 's') =>
      (await collect(store.archive.documents(id))).flat().map((line) => JSON.parse(line) as ArchiveDocument);
    const messagesIn = (documents: readonly ArchiveDocument[]) =>
      documents.flatMap((document) => (document.kind === 'message' ? [document.message] : []));
    const found = async (text: string) => (await store.search({ text })).map(({ session }) => session.id);

    it('give all that they are first, in the words of the domain', async () => {
      await store.rewind.takeBack('w', { number: 1, id: 's', afterSeq: 3 });
      const [session, usage, rewind, ...messages] = await documentsOf();
      expect(session).toEqual({
        kind: 'session',
        session: { ...(await store.get('s')), lastSeq: 4, transcriptSeq: 4 },
      });
      expect(usage).toEqual({ kind: 'usage', usage: (await store.usageByModel('s'))[0] });
      expect(rewind).toEqual({ kind: 'rewind', rewind: { runId: 'w', afterSeq: 3, lastSeq: 4 } });
      expect(messages.map(({ kind }) => kind)).toEqual(Array<string>(4).fill('message'));
      await store.rewind.bringBack('w', { number: 1, id: 's', afterSeq: 3 });
      expect(messagesIn(messages)).toEqual(await messagesOf(store, 's'));
    });

    it('come back with any message as it was, word for word in their documents', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyMessage(), { minLength: 1, maxLength: 6 }), async (given) => {
          const { id } = await store.create({ source: 'cli' });
          await store.append(id, given);
          await store.end(id, 'done');
          const before = await documentsOf(id);
          await store.archive.seal(id, [await requestOf(id)], { files: NO_FILES, deadHolders: [] });
          await store.archive.put(id, 1, messagesIn(before));
          await store.archive.unseal(id, await requestOf(id), NO_FILES);
          expect((await documentsOf(id)).map((each) => JSON.stringify(each))).toEqual(
            before.map((each) => JSON.stringify(each)),
          );
        }),
        { numRuns: 20 },
      );
      expect(await checkProblems(store)).toEqual([]);
    });

    it('keep their facts, usage and id, and say since when', async () => {
      const before = await store.get('s');
      expect(await seal()).toEqual([{ number: 1, status: 'done' }]);
      expect(await store.get('s')).toEqual({ ...before, archivedAt: clock.now() });
      expect(await collect(store.list())).toEqual([]);
      expect((await collect(store.list({ archived: true }))).map(({ id }) => id)).toEqual(['s']);
      expect(await store.idsNamed({ kind: 'id-start', text: 's' }, 5)).toEqual(['s']);
      expect((await store.usageByModel('s')).map(({ model }) => model)).toEqual(['m']);
      expect(await store.archive.get('s')).toMatchObject({ runId: 'r', number: 1, member: MEMBER });
      expect(await store.archive.prompts('s')).toBe('plant the quince\nwater it\n磁盘已满');
      expect(await collect(store.ledger())).toEqual([]);
      expect(await checkProblems(store)).toEqual([]);
    });

    it('are found by title and by what people asked, and by nothing else', async () => {
      await seal();
      for (const text of ['orchard', 'quince', 'quin', '已满', '"water it"'])
        expect(await found(text), text).toEqual(['s']);
      for (const text of ['secret', 'quince -water']) expect(await found(text), text).toEqual([]);
      const [hit] = await store.search({ text: 'quince' });
      expect(hit).toMatchObject({ match: 'words', session: { archivedAt: clock.now() } });
      expect(hit?.excerpt.text).toContain('quince');
      expect(hit).not.toHaveProperty('message');
      expect(await store.search({ text: 'quince', source: 'telegram' })).toEqual([]);
    });

    it('refuse every change, and tell how to restore them', async () => {
      await seal();
      const refused = { name: 'Failure', code: 'refused', hint: 'Restore it first with: coppice sessions restore s' };
      await expect(store.append('s', [user('more')])).rejects.toMatchObject(refused);
      await expect(store.change('s', { pinned: true })).rejects.toMatchObject(refused);
      await expect(store.end('s', 'x')).rejects.toMatchObject(refused);
      await expect(store.resume('s')).rejects.toMatchObject(refused);
      await expect(store.recordUsage('s', { model: 'm' })).rejects.toMatchObject(refused);
      await expect(messagesOf(store, 's')).rejects.toMatchObject(refused);
      const taken = { code: 'refused', message: 'The id s belongs to an archived session.' };
      await expect(store.create({ id: 's', source: 'cli' })).rejects.toMatchObject(taken);
      const imported = { id: 's', source: 'cli', startedAt: 1, lastActiveAt: 1, pinned: false, usageByModel: [] };
      await expect(store.imports.begin(imported)).rejects.toMatchObject(taken);
    });

    it('may be parents of new sessions', async () => {
      await seal();
      expect(await store.create({ source: 'cli', parentId: 's', childKind: 'branch' })).toMatchObject({
        parentId: 's',
      });
    });

    it.each([
      ['It has changed since the plan was made.', () => store.change('s', { addTags: ['x'] })],
      ['It is pinned.', () => store.change('s', { pinned: true })],
      ['A process is using it.', () => store.resume('s').then(() => store.append('s', [user('more')]))],
    ])('do not come from a session that is in use or has changed: %s', async (detail, change) => {
      const request = await requestOf();
      await change();
      const now = detail === 'A process is using it.' ? await requestOf() : request;
      let letGo = 0;
      const files = { ...NO_FILES, letGo: () => void (letGo += 1) };
      const outcomes = await store.archive.seal('r', [now], { files, deadHolders: [] });
      expect(outcomes).toEqual([{ number: 1, status: 'skipped', detail }]);
      expect(letGo).toBe(1);
      expect((await store.get('s'))?.archivedAt).toBeUndefined();
      expect(await messagesOf(store, 's')).not.toEqual([]);
    });

    it('come back exactly, and what an attempt left before is cleared away', async () => {
      const documents = await documentsOf();
      const before = [await store.get('s'), await messagesOf(store, 's')];
      await seal();
      await store.archive.put('r', 1, messagesIn(documents).slice(0, 2));
      const request = await requestOf();
      expect(await store.archive.unseal('r', request, NO_FILES)).toMatchObject({ status: 'skipped' });
      await store.archive.clear('r', 1);
      await store.archive.put('r', 1, messagesIn(documents));
      const stands = { ...NO_FILES, bringBack: () => 'Something stands there.' };
      expect(await store.archive.unseal('r', request, stands)).toMatchObject({ detail: 'Something stands there.' });
      expect(await store.archive.unseal('r', request, NO_FILES)).toEqual({ number: 1, status: 'done' });
      expect([await store.get('s'), await messagesOf(store, 's')]).toEqual(before);
      expect(await documentsOf()).toEqual(documents);
      expect(await found('secret')).toEqual(['s']);
      expect(await checkProblems(store)).toEqual([]);
      expect(await store.archive.find('r', 1)).toBeUndefined();
      // Again after a crash.
      expect(await store.archive.unseal('r', request, NO_FILES)).toEqual({ number: 1, status: 'done' });
    });

    it('are sealed once, however often it is asked for', async () => {
      const request = await requestOf();
      await store.archive.seal('r', [request], { files: NO_FILES, deadHolders: [] });
      const { member: _, ...again } = request;
      expect(await store.archive.seal('r', [again], { files: NO_FILES, deadHolders: [] })).toEqual([
        { number: 1, status: 'done' },
      ]);
      expect(await store.archive.seal('other', [again], { files: NO_FILES, deadHolders: [] })).toMatchObject([
        { status: 'skipped' },
      ]);
    });

    it('go into the trash with a trace in the ledger, and come out of it', async () => {
      await seal();
      const request = { number: 7, id: 's', fingerprint: MEMBER.sha256 };
      expect(await store.archive.hide('q', [{ ...request, fingerprint: 'bb' }])).toMatchObject([{ status: 'skipped' }]);
      for (const _ of ['once', 'again after a crash'])
        expect(await store.archive.hide('q', [request])).toEqual([{ number: 7, status: 'done' }]);
      expect(await store.get('s')).toBeUndefined();
      expect(await found('quince')).toEqual([]);
      expect((await collect(store.ledger())).map(({ id }) => id)).toEqual(['s']);
      expect(await store.archive.bundles()).toEqual([
        { name: 'one.tar', memberCount: 1, usedBytes: 100, trashedBytes: 100 },
      ]);
      expect(await store.archive.find('r', 1)).toMatchObject({ trashed: true });
      expect(await store.archive.unseal('r', await requestOf(), NO_FILES)).toMatchObject({ status: 'skipped' });
      await store.create({ id: 's', source: 'cli' });
      expect(await store.archive.show('q', [request])).toMatchObject([{ status: 'skipped' }]);
      await removeSessions(store, ['s']);
      for (const _ of ['once', 'again after a crash'])
        expect(await store.archive.show('q', [request])).toEqual([{ number: 7, status: 'done' }]);
      expect((await store.get('s'))?.archivedAt).toBe(clock.now());
      expect(await found('quince')).toEqual(['s']);
    });

    it('leave nothing but the ledger when they are purged, and their run knows', async () => {
      await store.journal.begin({ id: 'r', request: { kind: 'policy' }, startedAt: 1, expiresAt: 2 });
      const item = { kind: 'session', id: 's' } as const;
      const about = {
        action: 'archive',
        reason: 'selected',
        fingerprint: '',
        sizeBytes: 1,
        skipsTrash: false,
      } as const;
      await store.journal.intend('r', [{ number: 1, item, ...about }]);
      await seal();
      await store.journal.mark('r', [{ number: 1, state: 'archived' }]);
      const request = { number: 7, id: 's', fingerprint: MEMBER.sha256 };
      await store.archive.hide('q', [request]);
      await store.trash.drop('q', [request]);
      expect(await store.archive.bundles()).toEqual([]);
      expect((await collect(store.ledger())).map(({ id }) => id)).toEqual(['s']);
      expect((await collect(store.journal.items('r'))).map(({ state }) => state)).toEqual(['purged']);
      expect(await store.archive.show('q', [request])).toMatchObject([{ status: 'skipped' }]);
      expect(await checkProblems(store)).toEqual([]);
    });

    it('are counted by bundle, and can be moved to another', async () => {
      await seal();
      expect(await store.archive.bundles()).toEqual([
        { name: 'one.tar', memberCount: 1, usedBytes: 100, trashedBytes: 0 },
      ]);
      const member = { ...MEMBER, bundle: 'two.tar', offsetBytes: 1024 };
      await store.archive.move([{ runId: 'r', number: 1, member }]);
      expect(await collect(store.archive.list('one.tar'))).toEqual([]);
      expect((await collect(store.archive.list('two.tar'))).map((archived) => archived.member)).toEqual([member]);
    });

    it('keep a bounded part of what people asked', async () => {
      await store.create({ id: 'long', source: 'cli' });
      const words = Array.from(
        { length: 40 },
        (_, at) => `${`word${at} `.padEnd(1990, 'x ')} tail${at} ${'y'.repeat(500)}end${at}`,
      );
      await store.append('long', words.map(user));
      await store.end('long', 'done');
      await store.archive.seal('r', [await requestOf('long')], { files: NO_FILES, deadHolders: [] });
      expect(await found('word3')).toEqual(['long']);
      expect(await found('yend3')).toEqual([]);
      expect(await found('word39')).toEqual([]);
      expect(await checkProblems(store)).toEqual([]);
    });
  });
}
