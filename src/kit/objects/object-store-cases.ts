import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Failure } from '../../core/failure.ts';
import { bytesOf, bytesSource, type ObjectRange, type ObjectStore } from '../../core/objects/object-store.ts';
import { type ConditionalPut, probeObjects } from '../../core/objects/probe-objects.ts';
import type { KitCase } from '../kit-case.ts';

/** Where objects are kept that is empty at first. Each call gives the same place once more, as another process would have it. */
export interface ObjectPlace {
  readonly store: () => ObjectStore;
  /** What the place makes of "only where nothing has this key yet". */
  readonly conditionalPut: ConditionalPut;
  /** More than goes in one piece. */
  readonly largeBytes: number;
}

/** The contract of `ObjectStore`, as behaviour. */
export const objectStoreCases: readonly KitCase<ObjectPlace>[] = [
  {
    name: 'gives back exactly what was put, however large',
    async run({ store, largeBytes }) {
      for (const sizeBytes of [0, 1, 70_000, largeBytes]) {
        const bytes = randomBytes(sizeBytes);
        assert.equal(await store().put('a/object.tar', bytesSource(bytes)), 'stored');
        assert.ok((await contentOf(store(), 'a/object.tar'))?.equals(bytes));
        assert.equal(await store().sizeOf('a/object.tar'), sizeBytes);
      }
    },
  },
  {
    name: 'gives back a range of it',
    async run({ store, largeBytes }) {
      const bytes = randomBytes(largeBytes);
      await store().put('object', bytesSource(bytes));
      for (const [offsetBytes, lengthBytes] of [
        [0, 1],
        [largeBytes - 1, 1],
        [12_345, 500_000],
        [0, largeBytes],
        [7, 0],
      ] as const) {
        const got = await contentOf(store(), 'object', { offsetBytes, lengthBytes });
        assert.ok(got?.equals(bytes.subarray(offsetBytes, offsetBytes + lengthBytes)), `${offsetBytes}+${lengthBytes}`);
      }
    },
  },
  {
    name: 'fails rather than give fewer bytes than were asked for',
    async run({ store }) {
      await store().put('object', bytesSource(Buffer.from('short')));
      await assert.rejects(contentOf(store(), 'object', { offsetBytes: 2, lengthBytes: 10 }), Failure);
    },
  },
  {
    name: 'says that there is nothing, and removes nothing without complaint',
    async run({ store }) {
      assert.equal(await store().get('nothing'), undefined);
      assert.equal(await store().get('folder/nothing', { offsetBytes: 0, lengthBytes: 3 }), undefined);
      assert.equal(await store().sizeOf('nothing'), undefined);
      await store().remove('nothing');
      await store().remove('folder/nothing');
      assert.deepEqual(await keysOf(store(), ''), []);
    },
  },
  {
    name: 'replaces an object as a whole',
    async run({ store, largeBytes }) {
      await store().put('object', bytesSource(randomBytes(largeBytes)));
      await store().put('object', bytesSource(Buffer.from('new')));
      assert.equal((await contentOf(store(), 'object'))?.toString(), 'new');
    },
  },
  {
    name: 'lists by the beginning of keys, all and in order',
    async run({ store }) {
      const keys = Array.from({ length: 25 }, (_, at) => `b/${String(at).padStart(2, '0')}.json`);
      for (const key of ['a/1', 'bb/1', 'b-1', ...keys.toReversed()])
        await store().put(key, bytesSource(Buffer.from(key)));
      assert.deepEqual(await keysOf(store(), 'b/'), keys);
      assert.deepEqual(await keysOf(store(), 'b/1'), keys.slice(10, 20));
      assert.equal((await keysOf(store(), '')).length, 28);
      for await (const { key, sizeBytes } of store().list('')) assert.equal(sizeBytes, key.length);
    },
  },
  {
    name: 'removes one object and no other',
    async run({ store }) {
      for (const key of ['x/a', 'x/ab', 'x/a.b', 'y/a']) await store().put(key, bytesSource(Buffer.from('here')));
      await store().remove('x/a');
      assert.deepEqual(await keysOf(store(), ''), ['x/a.b', 'x/ab', 'y/a']);
    },
  },
  {
    name: 'refuses keys that lead elsewhere',
    async run({ store }) {
      for (const key of ['', '/', '..', 'a/../b', './a', 'a//b', '.hidden', 'a/.b', 'a\\b', 'a b', 'ä', 'a\0', 'a/']) {
        await assert.rejects(store().put(key, bytesSource(Buffer.from('x'))), Failure, JSON.stringify(key));
        await assert.rejects(contentOf(store(), key), Failure);
        await assert.rejects(store().remove(key), Failure);
      }
      assert.deepEqual(await keysOf(store(), ''), []);
    },
  },
  {
    name: 'keeps what is there when something is to be stored only where nothing is, or says that it cannot',
    async run({ store, conditionalPut }) {
      assert.equal(await probeObjects(store(), 'probe/one'), conditionalPut);
      assert.deepEqual(await keysOf(store(), ''), []);
      if (conditionalPut !== 'honoured') return;
      await store().put('object', bytesSource(Buffer.from('first')));
      assert.equal(await store().put('object', bytesSource(Buffer.from('second')), { onlyNew: true }), 'there-already');
      assert.equal((await contentOf(store(), 'object'))?.toString(), 'first');
    },
  },
  {
    name: 'lets one of many store what all want to store at once, where it knows that condition',
    async run({ store, conditionalPut }) {
      if (conditionalPut !== 'honoured') return;
      const all = Array.from({ length: 8 }, (_, at) => `writer ${at}`);
      const puts = all.map((text) => store().put('object', bytesSource(Buffer.from(text)), { onlyNew: true }));
      const results = await Promise.all(puts);
      assert.equal(results.filter((result) => result === 'stored').length, 1);
      assert.equal((await contentOf(store(), 'object'))?.toString(), all[results.indexOf('stored')]);
    },
  },
  {
    name: 'has nothing under a key whose bytes could not all be read, and removes what was begun',
    async run({ store, largeBytes }) {
      const read = (at: number, length: number) =>
        at < largeBytes / 2 ? Promise.resolve(randomBytes(length)) : Promise.reject(new Error('the disk broke'));
      await assert.rejects(store().put('a/object', { sizeBytes: largeBytes, read }), /the disk broke/);
      assert.equal(await store().sizeOf('a/object'), undefined);
      assert.deepEqual(await keysOf(store(), ''), []);
      await store().remove('a/object');
      for await (const key of store().unfinished('')) assert.fail(`${key} is left`);
    },
  },
];

async function contentOf(store: ObjectStore, key: string, range?: ObjectRange): Promise<Buffer | undefined> {
  const found = await store.get(key, range);
  return found && bytesOf(found);
}

async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}
