// Archiving into a bucket against sending the same bytes there, on a server that others wrote: TEST_S3_ENDPOINT says where.
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeLayout } from '../dist/homes/native/native-layout.js';
import { shelfOf } from '../dist/keeping/archive/shelf/shelf-of.js';
import { openFileSource } from '../dist/keeping/archive/shelf/publish-bundle.js';
import { askS3 } from '../dist/objects/s3/s3-client.js';
import { createS3Objects } from '../dist/objects/s3/s3-objects.js';
import { openBelow } from '../dist/platform/files/directory-handle.js';
import { compare, format, report } from './measure.js';

const BYTES = 48 * 1024 * 1024;
const MB = 1024 * 1024;

const credentials = async () => ({ accessKeyId: 'TESTKEY', secretAccessKey: 'test/secret+key' });

export async function benchObjects(directory) {
  const endpoint = process.env.TEST_S3_ENDPOINT;
  if (endpoint === undefined) {
    console.log('     archive to a bucket: not measured, as TEST_S3_ENDPOINT names no server');
    return;
  }
  const place = { endpoint: new URL(endpoint), region: 'us-east-1', bucket: `bench-${Date.now()}`, credentials };
  await askS3(place, { method: 'PUT' });
  const store = createS3Objects({ ...place, prefix: 'bench' });
  const layout = nativeLayout(join(directory, 'objects'));
  mkdirSync(layout.archive, { recursive: true });
  const folder = openBelow(layout.root, layout.archive);
  const temporary = folder.at('bundle');
  writeFileSync(temporary, randomBytes(BYTES));
  const objects = { cacheBytes: MB, open: async () => store };
  const shelf = shelfOf({ layout, clock: { now: Date.now }, store: memory(), objects });
  const source = openFileSource(temporary, BYTES);
  const written = { folder, temporary, name: 'unused', sizeBytes: BYTES, members: [] };
  const { oursMs, bareMs, ratio } = await compare(
    9,
    () => shelf.keep(written),
    () => store.put('bare', source),
  );
  const speed = (ms) => `${format(BYTES / MB / (ms / 1000))} MB/s`;
  const note = `${format(BYTES / MB)} MB: ${speed(oursMs)}, sent alone ${speed(bareMs)}`;
  report('a bundle sent, read back and published / its upload in parts alone', ratio, {
    limit: 1 / 0.6,
    unit: '×',
    note,
  });
  source[Symbol.dispose]();
  folder[Symbol.dispose]();
  rmSync(layout.root, { recursive: true });
}

function memory() {
  const kept = new Map([['home-id', 'bench']]);
  return { getMeta: async (key) => kept.get(key), setMeta: async (key, value) => void kept.set(key, value) };
}
