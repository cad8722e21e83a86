import assert from 'node:assert/strict';
import { checkProblems, collect, messagesOf, user } from './asking.ts';
import { NO_FILES, removeSessions } from './removing.ts';
import type { ArchiveDocument, ArchiveMember } from '../../core/stores/session-archive.ts';
import { sessionFingerprint } from '../../core/stores/session-trash.ts';
import type { KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has, lacks } from './has.ts';

/** The contract of `SessionArchive`, as behaviour. */
export const archiveCases: readonly KitCase<StorePlace>[] = atDesk(
  [
    {
      name: 'archived sessions: give all that they are first, in the words of the domain',
      async run(desk) {
        const { documentsOf } = archivedAt(desk);
        await desk.store.rewind.takeBack('w', { number: 1, id: 's', afterSeq: 3 });
        const [session, usage, rewind, ...messages] = await documentsOf();
        assert.deepEqual(session, {
          kind: 'session',
          session: { ...(await desk.store.get('s')), lastSeq: 4, transcriptSeq: 4 },
        });
        assert.deepEqual(usage, { kind: 'usage', usage: (await desk.store.usageByModel('s'))[0] });
        assert.deepEqual(rewind, { kind: 'rewind', rewind: { runId: 'w', afterSeq: 3, lastSeq: 4 } });
        assert.deepEqual(
          messages.map(({ kind }) => kind),
          Array<string>(4).fill('message'),
        );
        await desk.store.rewind.bringBack('w', { number: 1, id: 's', afterSeq: 3 });
        assert.deepEqual(messagesIn(messages), await messagesOf(desk.store, 's'));
      },
    },
    {
      name: 'archived sessions: keep their facts, usage and id, and say since when',
      async run(desk) {
        const { seal } = archivedAt(desk);
        const before = await desk.store.get('s');
        assert.deepEqual(await seal(), [{ number: 1, status: 'done' }]);
        assert.deepEqual(await desk.store.get('s'), { ...before, archivedAt: desk.clock.now() });
        assert.deepEqual(await collect(desk.store.list()), []);
        assert.deepEqual(
          (await collect(desk.store.list({ archived: true }))).map(({ id }) => id),
          ['s'],
        );
        assert.deepEqual(await desk.store.idsNamed({ kind: 'id-start', text: 's' }, 5), ['s']);
        assert.deepEqual(
          (await desk.store.usageByModel('s')).map(({ model }) => model),
          ['m'],
        );
        has(await desk.store.archive.get('s'), { runId: 'r', number: 1, member: MEMBER });
        assert.equal(await desk.store.archive.prompts('s'), 'plant the quince\nwater it\n磁盘已满');
        assert.deepEqual(await collect(desk.store.ledger()), []);
        assert.deepEqual(await checkProblems(desk.store), []);
      },
    },
    {
      name: 'archived sessions: are found by title and by what people asked, and by nothing else',
      async run(desk) {
        const { seal, found } = archivedAt(desk);
        await seal();
        for (const text of ['orchard', 'quince', 'quin', '已满', '"water it"'])
          assert.deepEqual([text, await found(text)], [text, ['s']]);
        for (const text of ['secret', 'quince -water']) assert.deepEqual([text, await found(text)], [text, []]);
        const [hit] = await desk.store.search({ text: 'quince' });
        has(hit, { match: 'words', session: { archivedAt: desk.clock.now() } });
        assert.ok(hit?.excerpt.text.includes('quince'));
        lacks(hit, 'message');
        assert.deepEqual(await desk.store.search({ text: 'quince', source: 'telegram' }), []);
      },
    },
    {
      name: 'archived sessions: refuse every change, and tell how to restore them',
      async run(desk) {
        const { seal } = archivedAt(desk);
        await seal();
        const refused = { name: 'Failure', code: 'refused', hint: 'Restore it first with: coppice sessions restore s' };
        await assert.rejects(desk.store.append('s', [user('more')]), refused);
        await assert.rejects(desk.store.change('s', { pinned: true }), refused);
        await assert.rejects(desk.store.end('s', 'x'), refused);
        await assert.rejects(desk.store.resume('s'), refused);
        await assert.rejects(desk.store.recordUsage('s', { model: 'm' }), refused);
        await assert.rejects(messagesOf(desk.store, 's'), refused);
        const taken = { code: 'refused', message: 'The id s belongs to an archived session.' };
        await assert.rejects(desk.store.create({ id: 's', source: 'cli' }), taken);
        const imported = { id: 's', source: 'cli', startedAt: 1, lastActiveAt: 1, pinned: false, usageByModel: [] };
        await assert.rejects(desk.store.imports.begin(imported), taken);
      },
    },
    {
      name: 'archived sessions: may be parents of new sessions',
      async run(desk) {
        const { seal } = archivedAt(desk);
        await seal();
        has(await desk.store.create({ source: 'cli', parentId: 's', childKind: 'branch' }), {
          parentId: 's',
        });
      },
    },
    ...Object.entries<(desk: StoreDesk) => Promise<unknown>>({
      'It has changed since the plan was made.': (desk) => desk.store.change('s', { addTags: ['x'] }),
      'It is pinned.': (desk) => desk.store.change('s', { pinned: true }),
      'A process is using it.': (desk) => desk.store.resume('s').then(() => desk.store.append('s', [user('more')])),
    }).map(
      ([detail, change]): KitCase<StoreDesk> => ({
        name: `archived sessions: do not come from a session that is in use or has changed: ${detail}`,
        async run(desk) {
          const { requestOf } = archivedAt(desk);
          const request = await requestOf();
          await change(desk);
          const now = detail === 'A process is using it.' ? await requestOf() : request;
          let letGo = 0;
          const files = { ...NO_FILES, letGo: () => void (letGo += 1) };
          const outcomes = await desk.store.archive.seal('r', [now], { files, deadHolders: [] });
          assert.deepEqual(outcomes, [{ number: 1, status: 'skipped', detail }]);
          assert.equal(letGo, 1);
          assert.equal((await desk.store.get('s'))?.archivedAt, undefined);
          assert.notDeepEqual(await messagesOf(desk.store, 's'), []);
        },
      }),
    ),
    {
      name: 'archived sessions: come back exactly, and what an attempt left before is cleared away',
      async run(desk) {
        const { requestOf, seal, documentsOf, found } = archivedAt(desk);
        const documents = await documentsOf();
        const before = [await desk.store.get('s'), await messagesOf(desk.store, 's')];
        await seal();
        await desk.store.archive.put('r', 1, messagesIn(documents).slice(0, 2));
        const request = await requestOf();
        has(await desk.store.archive.unseal('r', request, NO_FILES), { status: 'skipped' });
        await desk.store.archive.clear('r', 1);
        await desk.store.archive.put('r', 1, messagesIn(documents));
        const stands = { ...NO_FILES, bringBack: () => 'Something stands there.' };
        has(await desk.store.archive.unseal('r', request, stands), { detail: 'Something stands there.' });
        assert.deepEqual(await desk.store.archive.unseal('r', request, NO_FILES), { number: 1, status: 'done' });
        assert.deepEqual([await desk.store.get('s'), await messagesOf(desk.store, 's')], before);
        assert.deepEqual(await documentsOf(), documents);
        assert.deepEqual(await found('secret'), ['s']);
        assert.deepEqual(await checkProblems(desk.store), []);
        assert.equal(await desk.store.archive.find('r', 1), undefined);
        // Again after a crash.
        assert.deepEqual(await desk.store.archive.unseal('r', request, NO_FILES), { number: 1, status: 'done' });
      },
    },
    {
      name: 'archived sessions: are sealed once, however often it is asked for',
      async run(desk) {
        const { requestOf } = archivedAt(desk);
        const request = await requestOf();
        await desk.store.archive.seal('r', [request], { files: NO_FILES, deadHolders: [] });
        const { member: _, ...again } = request;
        assert.deepEqual(await desk.store.archive.seal('r', [again], { files: NO_FILES, deadHolders: [] }), [
          { number: 1, status: 'done' },
        ]);
        has(await desk.store.archive.seal('other', [again], { files: NO_FILES, deadHolders: [] }), [
          { status: 'skipped' },
        ]);
      },
    },
    {
      name: 'archived sessions: go into the trash with a trace in the ledger, and come out of it',
      async run(desk) {
        const { requestOf, seal, found } = archivedAt(desk);
        await seal();
        const request = { number: 7, id: 's', fingerprint: MEMBER.sha256 };
        has(await desk.store.archive.hide('q', [{ ...request, fingerprint: 'bb' }]), [{ status: 'skipped' }]);
        for (const _ of ['once', 'again after a crash'])
          assert.deepEqual(await desk.store.archive.hide('q', [request]), [{ number: 7, status: 'done' }]);
        assert.equal(await desk.store.get('s'), undefined);
        assert.deepEqual(await found('quince'), []);
        assert.deepEqual(
          (await collect(desk.store.ledger())).map(({ id }) => id),
          ['s'],
        );
        assert.deepEqual(await desk.store.archive.bundles(), [
          { name: 'one.tar', memberCount: 1, usedBytes: 100, trashedBytes: 100 },
        ]);
        has(await desk.store.archive.find('r', 1), { trashed: true });
        has(await desk.store.archive.unseal('r', await requestOf(), NO_FILES), { status: 'skipped' });
        await desk.store.create({ id: 's', source: 'cli' });
        has(await desk.store.archive.show('q', [request]), [{ status: 'skipped' }]);
        await removeSessions(desk.store, ['s']);
        for (const _ of ['once', 'again after a crash'])
          assert.deepEqual(await desk.store.archive.show('q', [request]), [{ number: 7, status: 'done' }]);
        assert.equal((await desk.store.get('s'))?.archivedAt, desk.clock.now());
        assert.deepEqual(await found('quince'), ['s']);
      },
    },
    {
      name: 'archived sessions: leave nothing but the ledger when they are purged, and their run knows',
      async run(desk) {
        const { seal } = archivedAt(desk);
        await desk.store.journal.begin({ id: 'r', request: { kind: 'policy' }, startedAt: 1, expiresAt: 2 });
        const item = { kind: 'session', id: 's' } as const;
        const about = {
          action: 'archive',
          reason: 'selected',
          fingerprint: '',
          sizeBytes: 1,
          skipsTrash: false,
        } as const;
        await desk.store.journal.intend('r', [{ number: 1, item, ...about }]);
        await seal();
        await desk.store.journal.mark('r', [{ number: 1, state: 'archived' }]);
        const request = { number: 7, id: 's', fingerprint: MEMBER.sha256 };
        await desk.store.archive.hide('q', [request]);
        await desk.store.trash.drop('q', [request]);
        assert.deepEqual(await desk.store.archive.bundles(), []);
        assert.deepEqual(
          (await collect(desk.store.ledger())).map(({ id }) => id),
          ['s'],
        );
        assert.deepEqual(
          (await collect(desk.store.journal.items('r'))).map(({ state }) => state),
          ['purged'],
        );
        has(await desk.store.archive.show('q', [request]), [{ status: 'skipped' }]);
        assert.deepEqual(await checkProblems(desk.store), []);
      },
    },
    {
      name: 'archived sessions: are counted by bundle, and can be moved to another',
      async run(desk) {
        const { seal } = archivedAt(desk);
        await seal();
        assert.deepEqual(await desk.store.archive.bundles(), [
          { name: 'one.tar', memberCount: 1, usedBytes: 100, trashedBytes: 0 },
        ]);
        const member = { ...MEMBER, bundle: 'two.tar', offsetBytes: 1024 };
        await desk.store.archive.move([{ runId: 'r', number: 1, member }]);
        assert.deepEqual(await collect(desk.store.archive.list('one.tar')), []);
        assert.deepEqual(
          (await collect(desk.store.archive.list('two.tar'))).map((archived) => archived.member),
          [member],
        );
      },
    },
    {
      name: 'archived sessions: keep a bounded part of what people asked',
      async run(desk) {
        const { requestOf, found } = archivedAt(desk);
        await desk.store.create({ id: 'long', source: 'cli' });
        const words = Array.from(
          { length: 40 },
          (_, at) => `${`word${at} `.padEnd(1990, 'x ')} tail${at} ${'y'.repeat(500)}end${at}`,
        );
        await desk.store.append('long', words.map(user));
        await desk.store.end('long', 'done');
        await desk.store.archive.seal('r', [await requestOf('long')], { files: NO_FILES, deadHolders: [] });
        assert.deepEqual(await found('word3'), ['long']);
        assert.deepEqual(await found('yend3'), []);
        assert.deepEqual(await found('word39'), []);
        assert.deepEqual(await checkProblems(desk.store), []);
      },
    },
  ],
  anOrchard,
);

async function anOrchard({ store }: StoreDesk): Promise<void> {
  await store.create({ id: 's', source: 'cli', title: 'Orchard' });
  await store.append('s', ['plant the quince', 'water it', '磁盘已满'].map(user));
  await store.append('s', [{ role: 'assistant', content: 'a secret reply' }]);
  await store.recordUsage('s', { model: 'm', inputTokens: 5, costUsd: 0.25 });
  await store.end('s', 'done');
}

const messagesIn = (documents: readonly ArchiveDocument[]) =>
  documents.flatMap((document) => (document.kind === 'message' ? [document.message] : []));

function archivedAt(desk: StoreDesk) {
  const requestOf = async (id = 's') => {
    const facts = await desk.store.get(id);
    return { number: 1, id, fingerprint: facts === undefined ? '' : sessionFingerprint(facts), member: MEMBER };
  };
  const seal = async (files = NO_FILES) =>
    desk.store.archive.seal('r', [await requestOf()], { files, deadHolders: [] });
  const documentsOf = async (id = 's') =>
    (await collect(desk.store.archive.documents(id))).flat().map((line) => JSON.parse(line) as ArchiveDocument);
  const found = async (text: string) => (await desk.store.search({ text })).map(({ session }) => session.id);
  return { requestOf, seal, documentsOf, found };
}

const MEMBER: ArchiveMember = {
  bundle: 'one.tar',
  offsetBytes: 512,
  lengthBytes: 100,
  codec: 'brotli',
  sha256: 'aa',
  plainBytes: 1000,
  lineCount: 9,
};
