import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { objectStoreCases } from '../../src/kit/objects/object-store-cases.ts';
import { probeObjects } from '../../src/core/objects/probe-objects.ts';
import { askS3 } from '../../src/objects/s3/s3-client.ts';
import { createS3Objects } from '../../src/objects/s3/s3-objects.ts';
import { openArchiveDesk } from '../support/archive-desk.ts';
import { bundlesIn } from '../support/archive-objects.ts';
import { collect, user } from '../support/collect.ts';
import { runKit } from '../support/run-kit.ts';
import { S3_KEYS } from '../support/s3-server.ts';
import { tempDir } from '../support/temp-dir.ts';

// Against a real server, such as Ceph's gateway: its address is in TEST_S3_ENDPOINT, and it knows the keys of our own test server.
const endpoint = process.env['TEST_S3_ENDPOINT'];

const place = {
  endpoint: new URL(endpoint ?? 'http://127.0.0.1:9'),
  region: 'us-east-1',
  bucket: `coppice-${randomBytes(4).toString('hex')}`,
  credentials: () => Promise.resolve(S3_KEYS),
};

const storeBelow = (prefix: string) => createS3Objects({ ...place, prefix });

describe.skipIf(endpoint === undefined)('a bucket of a real server', { timeout: 60_000 }, () => {
  beforeAll(() => askS3(place, { method: 'PUT' }), 60_000);

  runKit('holds to the contract', objectStoreCases, () => {
    const prefix = `tried/${randomBytes(4).toString('hex')}`;
    return { store: () => storeBelow(prefix), conditionalPut: 'honoured' as const, largeBytes: 20 * 1024 * 1024 + 7 };
  });

  it('refuses a wrong key', async () => {
    const wrong = { ...S3_KEYS, secretAccessKey: 'another' };
    const store = createS3Objects({ ...place, prefix: '', credentials: () => Promise.resolve(wrong) });
    await expect(collect(store.list(''))).rejects.toMatchObject({
      message: expect.stringContaining('SignatureDoesNotMatch') as string,
    });
  });

  it('lists more than goes into one answer', async () => {
    const store = storeBelow('many');
    const keys = Array.from({ length: 1005 }, (_, at) => `k${String(at).padStart(5, '0')}`);
    for (let at = 0; at < keys.length; at += 50)
      await Promise.all(
        keys
          .slice(at, at + 50)
          .map((key) => store.put(key, { sizeBytes: 0, read: () => Promise.resolve(new Uint8Array()) })),
      );
    expect((await collect(store.list(''))).map(({ key }) => key)).toEqual(keys);
  });

  it('takes archived sessions and gives them back', async () => {
    const desk = await openArchiveDesk();
    const keys = join(tempDir(), 'keys');
    const lines = `aws_access_key_id = ${S3_KEYS.accessKeyId}\naws_secret_access_key = ${S3_KEYS.secretAccessKey}\n`;
    writeFileSync(keys, lines, { mode: 0o600 });
    await desk.reopen(
      { key: 'archive.url', value: `s3://${place.bucket}/homes` },
      { key: 'archive.endpoint', value: endpoint ?? '' },
      { key: 'archive.credentials', value: keys },
    );
    for (const id of ['a', 'b', 'c']) await desk.add(id, [user(id), user(randomBytes(4_000_000).toString('hex'))]);
    const before = desk.everything();
    expect((await desk.archive()).details).toEqual({ a: 'done', b: 'done', c: 'done' });
    await desk.noProblems();
    expect(await probeObjects(storeBelow('homes'), 'probe')).toBe('honoured');
    await desk.restore('a', 'b', 'c');
    expect(desk.everything()).toEqual(before);
    expect(await bundlesIn(storeBelow('homes'))).toEqual([]);
    await desk.noProblems();
  });
});
