import { describe, expect, it } from 'vitest';
import { user } from '../../../test/support/collect.ts';
import { NO_FILES, trashRequest } from '../../../test/support/remove-sessions.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { IN_USE } from '../../core/sessions/in-use.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { HOUR_MS } from '../../core/time.ts';

const ANY_FILES = { files: NO_FILES, deadHolders: [] };
const NO_MEMBER = { bundle: '', offsetBytes: 0, lengthBytes: 0, codec: 'brotli', sha256: '', plainBytes: 0 } as const;

/** What is in use, which nothing may take, and what was only left, which may be closed. */
export function inUseConformance(desk: StoreDesk): void {
  const { create, say, factsOf, listed, openOther } = desk;

  /** A session that answers a key, and that no process holds. */
  const aRouted = async (key: string) => {
    const choice = { kind: 'start', session: { source: 'chat' } } as const;
    const { id } = (await desk.store.routes.settle(key, () => choice)).facts;
    await desk.store.release(id);
    return id;
  };
  /** What becomes of a session when all of it, only its files, or its place outside the archive is to go. */
  const attempts = async (id: string) => {
    const request = await trashRequest(desk.store, id);
    return [
      ...(await desk.store.trash.hide('run', [request], ANY_FILES)),
      await desk.store.trash.takeFiles('run', request, { ...ANY_FILES, part: 'all' }),
      await desk.store.trash.takeFiles('run', request, { ...ANY_FILES, part: 'dumps' }),
      ...(await desk.store.archive.seal('run', [{ ...request, member: { ...NO_MEMBER, lineCount: 0 } }], ANY_FILES)),
    ].map((outcome) => ('detail' in outcome ? outcome.detail : outcome.status));
  };
  const fourTimes = (sentence: string) => Array.from({ length: 4 }, () => sentence);

  describe('what is in use', () => {
    it('is neither removed nor archived nor parted from its files, whatever is asked', async () => {
      await say('leased', 'hello');
      expect(await attempts('leased')).toEqual(fourTimes(IN_USE.active));
      await desk.store.release('leased');
      expect(await attempts('leased')).toEqual(fourTimes(IN_USE.open));
      const routed = await aRouted('chat:1');
      expect(await attempts(routed)).toEqual(fourTimes(IN_USE.routed));
      await desk.store.end(routed, 'crash');
      expect(await attempts(routed)).toEqual(fourTimes(IN_USE.routed));
      expect(new Set(await listed())).toEqual(new Set(['leased', routed]));
    });

    it('is not what only a dead process claims', async () => {
      const other = await openOther();
      await say('s', 'hello');
      await other.append('s', [user('more')]);
      await desk.store.end('s', 'done');
      const request = await trashRequest(desk.store, 's');
      expect(await desk.store.trash.hide('run', [request], ANY_FILES)).toMatchObject([{ detail: IN_USE.active }]);
      const deadHolders = (await desk.store.holders()).map(({ id }) => id);
      const outcomes = await desk.store.trash.hide('run', [request], { files: NO_FILES, deadHolders });
      expect(outcomes).toEqual([{ number: 1, status: 'done' }]);
    });

    it('keeps the other parts of its conversation', async () => {
      await say('first', 'hello');
      await desk.store.end('first', 'done');
      await create({ id: 'next', parentId: 'first', childKind: 'continuation' });
      await desk.store.release('next');
      const outcomes = await desk.store.trash.hide('run', [await trashRequest(desk.store, 'first')], ANY_FILES);
      expect(outcomes).toMatchObject([{ detail: 'Another part of its conversation is in use.' }]);
    });

    it('is free once it was ended on purpose, also after an accident and while a key still names it', async () => {
      const id = await aRouted('chat:1');
      await desk.store.end(id, 'crash');
      await desk.store.end(id, 'done');
      expect(await desk.store.trash.hide('run', [await trashRequest(desk.store, id)], ANY_FILES)).toMatchObject([
        { status: 'done' },
      ]);
    });

    it('is told by the keys and by what was never ended', async () => {
      const [one, two] = [await aRouted('chat:1'), await aRouted('chat:2')];
      await say('alone', 'hello');
      await say('ended', 'hello');
      await desk.store.end('ended', 'done');
      await desk.store.end(two, 'done');
      expect(await desk.store.routes.named()).toEqual(new Set([one, two]));
      for (const sort of ['last', 'stored'] as const) {
        expect(new Set(await listed({ open: true, sort }))).toEqual(new Set([one, 'alone']));
      }
      expect(await listed({ open: true, source: 'cli' })).toEqual(['alone']);
      await desk.store.trash.hide('run', [await trashRequest(desk.store, two)], ANY_FILES);
      expect(await desk.store.routes.named()).toEqual(new Set([one]));
    });
  });

  describe('ending', () => {
    it('by accident can be followed by an end on purpose, and by no other', async () => {
      await create({ id: 's' });
      const crashed = await desk.store.end('s', 'crash');
      desk.clock.advance(HOUR_MS);
      expect(await desk.store.end('s', 'abandoned')).toEqual(crashed);
      const ended = { endReason: 'closed', endedAt: desk.clock.now() };
      expect(await desk.store.end('s', 'closed')).toMatchObject(ended);
      desk.clock.advance(HOUR_MS);
      for (const reason of ['crash', 'done']) expect(await desk.store.end('s', reason)).toMatchObject(ended);
    });

    it('as abandoned ends with the next message, and any other end does not', async () => {
      await say('s', 'a');
      await desk.store.end('s', 'abandoned');
      desk.clock.advance(HOUR_MS);
      const other = await openOther();
      expect(await other.append('s', [user('b')])).toMatchObject({ firstSeq: 2 });
      const facts = await factsOf('s');
      expect(facts).toMatchObject({ lastActiveAt: desk.clock.now() });
      expect([facts.endedAt, facts.endReason]).toEqual([undefined, undefined]);
      await desk.store.end('s', 'crash');
      await expect(other.append('s', [user('c')])).rejects.toMatchObject({ code: 'refused' });
    });
  });

  describe('what is unused', () => {
    const unused = async () => {
      await say('left', 'hello');
      await desk.store.release('left');
      return factsOf('left');
    };
    const close = (sessions: readonly SessionFacts[], deadHolders: readonly string[] = []) =>
      desk.store.endUnused(sessions, { reason: 'abandoned', deadHolders });

    it('is ended where it is as it was, and only there', async () => {
      const left = await unused();
      desk.clock.advance(HOUR_MS);
      expect(await close([left, { ...left, id: 'nobody' }])).toEqual(['left']);
      expect(await factsOf('left')).toMatchObject({ endReason: 'abandoned', endedAt: desk.clock.now() });
      expect(await close([left])).toEqual([]);
    });

    it.each<[string, (id: string) => Promise<unknown>]>([
      ['was used since', (id) => desk.store.recordUsage(id, { model: 'm', inputTokens: 1 })],
      ['was taken up by a process', async (id) => (await openOther()).append(id, [user('more')])],
      [
        'got a message of a process that has let go of it',
        async (id) => {
          desk.clock.advance(-HOUR_MS);
          const other = await openOther();
          await other.append(id, [user('more')]);
          await other.release(id);
        },
      ],
      ['was ended by somebody', (id) => desk.store.end(id, 'done')],
    ])('stays when it %s', async (_, change) => {
      const left = await unused();
      desk.clock.advance(HOUR_MS);
      await change('left');
      const before = await factsOf('left');
      expect(await close([left])).toEqual([]);
      expect(await factsOf('left')).toEqual(before);
    });

    it('stays while a process holds it, and goes with the process', async () => {
      const other = await openOther();
      await other.create({ id: 'held', source: 'cli' });
      const seen = await factsOf('held');
      desk.clock.advance(HOUR_MS);
      expect(await close([seen])).toEqual([]);
      const dead = (await desk.store.holders()).map(({ id }) => id);
      expect(await close([seen], dead)).toEqual(['held']);
    });

    it('stays while it answers a key', async () => {
      const seen = await factsOf(await aRouted('chat:1'));
      desk.clock.advance(HOUR_MS);
      expect(await close([seen])).toEqual([]);
    });

    it('is never ended under the hands of a process that takes it up at the same moment', async () => {
      const other = await openOther();
      const ids = Array.from({ length: 120 }, (_, at) => `s${at}`);
      for (const id of ids) await create({ id });
      for (const id of ids) await desk.store.release(id);
      const seen = await Promise.all(ids.map(factsOf));
      desk.clock.advance(HOUR_MS);
      await Promise.all([close(seen), ...ids.map((id) => other.append(id, [user('I am here')]))]);
      const facts = await Promise.all(ids.map(factsOf));
      expect(facts.filter(({ endedAt }) => endedAt !== undefined)).toEqual([]);
    });

    it('is closed in one go, however many there are', async () => {
      const ids = Array.from({ length: 250 }, (_, at) => `s${at}`);
      for (const id of ids) await create({ id });
      for (const id of ids) await desk.store.release(id);
      expect(new Set(await close(await Promise.all(ids.map(factsOf))))).toEqual(new Set(ids));
      expect(await listed({ open: true })).toEqual([]);
    });
  });
}
