import { Failure } from '../../core/failure.ts';
import { checkObjectKey, checkObjectPrefix } from '../../core/objects/object-key.ts';
import type {
  ObjectEntry,
  ObjectRange,
  ObjectSource,
  ObjectStore,
  PutOptions,
  PutResult,
} from '../../core/objects/object-store.ts';
import { askS3, nameOfPlace, type S3Place } from './s3-client.ts';
import { abortUploads, putInParts, uploadsBelow } from './s3-uploads.ts';
import { elementsOf, textOf } from './s3-xml.ts';

/** So much at a time: what is larger goes in parts of this size, and is fetched in pieces of it. */
const PART_BYTES = 8 * 1024 * 1024;
/** Of one part each, at the same time. */
const PARTS_AT_ONCE = 3;

export interface S3ObjectsOptions extends S3Place {
  /** What all keys begin with in the bucket; nothing where it is empty. */
  readonly prefix: string;
  readonly partBytes?: number;
}

/** Objects in a bucket of a server that speaks S3. */
export function createS3Objects(options: S3ObjectsOptions): ObjectStore {
  const { prefix, partBytes = PART_BYTES, ...place } = options;
  const fullKey = (key: string) => (prefix === '' ? key : `${prefix}/${key}`);
  const ownKey = (key: string) => (prefix === '' ? key : key.slice(prefix.length + 1));
  const sizeOf = (key: string) => headSize(place, fullKey(key));
  return {
    place: `s3://${fullKey('').replace(/\/$/, '') === '' ? place.bucket : `${place.bucket}/${prefix}`}`,
    async put(key, source, putOptions = {}) {
      checkObjectKey(key);
      if (source.sizeBytes <= partBytes) return await putWhole(place, fullKey(key), { source, ...putOptions });
      // Servers pass over a condition on what is sent in parts, so none is asked for.
      if (putOptions.onlyNew === true && (await sizeOf(key)) !== undefined) return 'there-already';
      await putInParts(place, fullKey(key), { source, partBytes, atOnce: PARTS_AT_ONCE });
      return 'stored';
    },
    async get(key, range) {
      checkObjectKey(key);
      const sizeBytes = await sizeOf(key);
      return sizeBytes === undefined
        ? undefined
        : pieces(place, fullKey(key), { ...(range ?? { offsetBytes: 0, lengthBytes: sizeBytes }), partBytes });
    },
    async sizeOf(key) {
      checkObjectKey(key);
      return await sizeOf(key);
    },
    async *list(start) {
      checkObjectPrefix(start);
      for await (const entry of listKeys(place, fullKey(start))) yield { ...entry, key: ownKey(entry.key) };
    },
    async remove(key) {
      checkObjectKey(key);
      await abortUploads(place, fullKey(key));
      await askS3(place, { method: 'DELETE', key: fullKey(key), understands: [404] });
    },
    async *unfinished(start) {
      checkObjectPrefix(start);
      const keys = new Set<string>();
      for await (const { key } of uploadsBelow(place, fullKey(start))) keys.add(ownKey(key));
      yield* keys;
    },
  };
}

interface Whole extends PutOptions {
  readonly source: ObjectSource;
}

async function putWhole(place: S3Place, key: string, { source, onlyNew = false }: Whole): Promise<PutResult> {
  const body = await source.read(0, source.sizeBytes);
  const headers = { 'content-type': 'application/octet-stream', ...(onlyNew && { 'if-none-match': '*' }) };
  const understands = onlyNew ? [412, 501] : [];
  const { status } = await askS3(place, { method: 'PUT', key, body, headers, understands });
  if (status === 412) return 'there-already';
  return status === 501 ? 'refused' : 'stored';
}

async function headSize(place: S3Place, key: string): Promise<number | undefined> {
  const { status, headers } = await askS3(place, { method: 'HEAD', key, understands: [404] });
  if (status === 404) return undefined;
  const length = headers.get('content-length');
  if (length !== null) return Number(length);
  throw new Failure('failed', `The size of ${key} is not told by ${nameOfPlace(place)}.`);
}

interface Pieces extends ObjectRange {
  readonly partBytes: number;
}

/** Each piece is a request of its own, so one that breaks off is asked for again without the others. The next few are under way meanwhile. */
async function* pieces(
  place: S3Place,
  key: string,
  { offsetBytes, lengthBytes, partBytes }: Pieces,
): AsyncGenerator<Buffer> {
  const end = offsetBytes + lengthBytes;
  const asked: Promise<PromiseSettledResult<Buffer>>[] = [];
  let next = offsetBytes;
  try {
    for (let done = offsetBytes; done < end; ) {
      for (; next < end && asked.length < PARTS_AT_ONCE; next += partBytes)
        asked.push(settled(piece(place, key, { offsetBytes: next, lengthBytes: Math.min(partBytes, end - next) })));
      const got = await asked.shift();
      if (got === undefined) return;
      if (got.status === 'rejected') throw got.reason;
      done += got.value.length;
      yield got.value;
    }
  } finally {
    // Whoever stops half-way must not leave work behind that goes on by itself.
    await Promise.all(asked);
  }
}

async function settled(work: Promise<Buffer>): Promise<PromiseSettledResult<Buffer>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

async function piece(place: S3Place, key: string, { offsetBytes, lengthBytes }: ObjectRange): Promise<Buffer> {
  const headers = { range: `bytes=${offsetBytes}-${offsetBytes + lengthBytes - 1}` };
  const request = { method: 'GET', key, headers, expectedBytes: lengthBytes, understands: [404, 416] } as const;
  const { status, body } = await askS3(place, request);
  if (status < 400) return body;
  throw new Failure('integrity', `${key} in ${nameOfPlace(place)} is shorter than it was, or gone.`);
}

async function* listKeys(place: S3Place, prefix: string): AsyncGenerator<ObjectEntry> {
  for (let token: string | undefined, more = true; more; ) {
    const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) };
    const xml = (await askS3(place, { method: 'GET', query })).body.toString('utf8');
    for (const contents of elementsOf(xml, 'Contents'))
      yield { key: textOf(contents, 'Key') ?? '', sizeBytes: Number(textOf(contents, 'Size')) };
    token = textOf(xml, 'NextContinuationToken');
    more = textOf(xml, 'IsTruncated') === 'true' && token !== undefined;
  }
}
