import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import { runKit } from '../../../test/support/run-kit.ts';
import { type Fault, S3Server } from '../../../test/support/s3-server.ts';
import { bytesOf, bytesSource, type ObjectStore } from '../../core/objects/object-store.ts';
import { probeObjects } from '../../core/objects/probe-objects.ts';
import { objectStoreCases } from '../../kit/objects/object-store-cases.ts';
import { signedHeaders } from './sign-request.ts';

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.objects.clear();
  server.uploads.clear();
  server.calls.length = 0;
  server.conditionalPut = 'honoured';
  server.faultAt = () => undefined;
});

const LARGE = 1_000_003;
for (const prefix of ['', 'some/prefix'])
  runKit(`objects in a bucket, below ${JSON.stringify(prefix)}`, objectStoreCases, () => ({
    store: () => server.store({ prefix }),
    conditionalPut: 'honoured' as const,
    largeBytes: LARGE,
  }));
for (const conditionalPut of ['ignored', 'refused'] as const)
  runKit(`objects in a bucket whose server has conditions ${conditionalPut}`, objectStoreCases, () => {
    server.conditionalPut = conditionalPut;
    return { store: () => server.store(), conditionalPut, largeBytes: LARGE };
  });

const large = randomBytes(LARGE);
const small = randomBytes(5000);

/** Everything that is asked of a store, with what must have come of it. */
const ACTS: Readonly<Record<string, (store: ObjectStore) => Promise<unknown>>> = {
  'put a small object': (store) => store.put('a/small', bytesSource(small)),
  'put a small object where nothing is': (store) => store.put('a/small', bytesSource(small), { onlyNew: true }),
  'put a large object': (store) => store.put('a/large', bytesSource(large)),
  'get an object': async (store) => {
    const found = await store.get('there/large');
    if (found === undefined || !(await bytesOf(found)).equals(large)) throw new Error('other bytes');
  },
  'ask for a size': async (store) => expect(await store.sizeOf('there/large')).toBe(LARGE),
  'list objects': async (store) => expect(await collect(store.list('there/'))).toHaveLength(12),
  'list what is unfinished': async (store) => expect(await collect(store.unfinished(''))).toEqual([]),
  'remove an object': (store) => store.remove('there/0'),
};

const PASSING: readonly Fault[] = [
  { kind: 'answer', status: 500 },
  { kind: 'answer', status: 503 },
  { kind: 'silence' },
  { kind: 'lost' },
  { kind: 'truncated' },
];

async function fill(): Promise<void> {
  const store = server.store();
  await store.put('there/large', bytesSource(large));
  for (let at = 0; at < 11; at += 1) await store.put(`there/${at}`, bytesSource(small));
  server.calls.length = 0;
}

function areWhole(): boolean {
  const all = Object.entries({ 'a/small': small, 'a/large': large });
  return all.every(([key, bytes]) => server.objects.get(`some/prefix/${key}`)?.equals(bytes) ?? true);
}

describe('a bucket in trouble', () => {
  it.each(Object.keys(ACTS))('passes, whichever call of it fails once: %s', async (name) => {
    await fill();
    await ACTS[name]?.(server.store());
    const count = server.calls.length;
    for (const fault of PASSING)
      for (let at = 1; at <= count; at += 1) {
        server.objects.clear();
        server.uploads.clear();
        await fill();
        server.faultAt = ({ number }) => (number === at ? fault : undefined);
        await ACTS[name]?.(server.store({ timeoutMs: fault.kind === 'silence' ? 300 : 10_000 }));
        server.faultAt = () => undefined;
        expect(areWhole(), `${fault.kind} at ${at}`).toBe(true);
        if (name.startsWith('put')) expect(server.objects.size, `${fault.kind} at ${at}`).toBe(13);
        // Only an upload whose beginning was lost is left, and it is known by its key.
        await server.store().remove('a/large');
        expect(server.uploads.size).toBe(0);
      }
  });

  it('is told in a sentence when it does not pass, and never with a key in it', async () => {
    for (const [fault, sentence] of [
      [{ kind: 'answer', status: 503 }, /answered 503, again and again/],
      [{ kind: 'silence' }, /did not answer in time/],
      [{ kind: 'answer', status: 403 }, /refused it: InjectedFault/],
      [{ kind: 'lost' }, /cannot be reached|broke off/],
    ] as const) {
      server.faultAt = () => fault;
      const put = server.store({ timeoutMs: 40 }).put('a/large', bytesSource(large));
      await expect(put).rejects.toMatchObject({ code: 'failed', message: expect.stringMatching(sentence) as string });
      await expect(put).rejects.not.toThrow(/TESTKEY|secret/);
    }
    server.faultAt = () => undefined;
    const wrong = server.store({ credentials: { accessKeyId: 'TESTKEY', secretAccessKey: 'another' } });
    await expect(wrong.sizeOf('x')).rejects.toMatchObject({
      message: expect.stringContaining('refused it: 403') as string,
    });
    const list = collect(wrong.list(''));
    await expect(list).rejects.toMatchObject({
      message: expect.stringContaining('SignatureDoesNotMatch') as string,
      hint: expect.stringContaining('archive.region') as string,
    });
  });

  it('keeps no part of an upload that could not be finished', async () => {
    server.faultAt = ({ what, number }) =>
      what === 'put part' && number > 2 ? { kind: 'answer', status: 500 } : undefined;
    await expect(server.store().put('a/large', bytesSource(large))).rejects.toMatchObject({ code: 'failed' });
    expect(server.uploads.size).toBe(0);
    expect(server.objects.size).toBe(0);
  });

  it('finds by the key what a process left that died while it sent', async () => {
    server.faultAt = ({ what }) =>
      what === 'put part' || what === 'abort upload' ? { kind: 'answer', status: 500 } : undefined;
    await expect(server.store().put('a/large', bytesSource(large))).rejects.toMatchObject({ code: 'failed' });
    server.faultAt = () => undefined;
    expect(await collect(server.store().unfinished(''))).toEqual(['a/large']);
    await server.store().remove('a/larg');
    expect(server.uploads.size).toBe(1);
    await server.store().remove('a/large');
    expect(server.uploads.size).toBe(0);
  });

  it('is found out where it refuses a condition or passes over it', async () => {
    for (const conditionalPut of ['honoured', 'ignored', 'refused'] as const) {
      server.conditionalPut = conditionalPut;
      expect(await probeObjects(server.store(), 'probe/one')).toBe(conditionalPut);
      expect(server.objects.size).toBe(0);
    }
  });
});

it('signs as the documentation of the signature does', () => {
  const credentials = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const signing = { credentials, region: 'us-east-1', at: new Date('2013-05-24T00:00:00Z') };
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  const got = signedHeaders({ method: 'GET', url, headers: { range: 'bytes=0-9' }, body: undefined }, signing);
  expect(got['authorization']).toContain('Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41');
  const list = new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J');
  const listed = signedHeaders({ method: 'GET', url: list, headers: {}, body: undefined }, signing);
  expect(listed['authorization']).toContain('34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7');
});
