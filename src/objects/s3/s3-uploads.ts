import type { ObjectSource } from '../../core/objects/object-store.ts';
import { Failure } from '../../core/failure.ts';
import { askS3, nameOfPlace, type S3Place } from './s3-client.ts';
import { elementsOf, textOf } from './s3-xml.ts';

/** The most parts that an upload may have. */
const MOST_PARTS = 10_000;

export interface Parts {
  readonly source: ObjectSource;
  /** Of one part, unless there would be too many of them. */
  readonly partBytes: number;
  readonly atOnce: number;
}

/** Sends a large object in parts, some at the same time. One that cannot be finished is taken back, as far as the server can be reached. */
export async function putInParts(place: S3Place, key: string, parts: Parts): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' };
  const begun = await askS3(place, { method: 'POST', key, query: { uploads: '' }, headers });
  const uploadId = textOf(begun.body.toString('utf8'), 'UploadId');
  if (uploadId === undefined) throw notUnderstood(place);
  try {
    const tags = await sendParts(place, { key, uploadId }, parts);
    await complete(place, { key, uploadId }, tags);
  } catch (error) {
    // The error says more than what may go wrong now; whoever owns the key finds what is left.
    await abort(place, { key, uploadId }).catch(unlessBug);
    throw error;
  }
}

export interface Upload {
  readonly key: string;
  readonly uploadId: string;
}

/** Uploads that were begun and never finished, of keys that begin with this. */
export async function* uploadsBelow(place: S3Place, prefix: string): AsyncGenerator<Upload> {
  for (let marker: Record<string, string> = {}, more = true; more; ) {
    const xml = (await askS3(place, { method: 'GET', query: { uploads: '', prefix, ...marker } })).body.toString(
      'utf8',
    );
    for (const upload of elementsOf(xml, 'Upload'))
      yield { key: textOf(upload, 'Key') ?? '', uploadId: textOf(upload, 'UploadId') ?? '' };
    const nextKey = textOf(xml, 'NextKeyMarker') ?? '';
    const nextUpload = textOf(xml, 'NextUploadIdMarker') ?? '';
    more = textOf(xml, 'IsTruncated') === 'true' && nextKey !== '';
    marker = { 'key-marker': nextKey, ...(nextUpload !== '' && { 'upload-id-marker': nextUpload }) };
  }
}

export async function abortUploads(place: S3Place, key: string): Promise<void> {
  const uploads: Upload[] = [];
  for await (const upload of uploadsBelow(place, key)) if (upload.key === key) uploads.push(upload);
  for (const upload of uploads) await abort(place, upload);
}

async function abort(place: S3Place, { key, uploadId }: Upload): Promise<void> {
  await askS3(place, { method: 'DELETE', key, query: { uploadId }, understands: [404] });
}

/** What the server calls each part. */
async function sendParts(place: S3Place, upload: Upload, { source, partBytes, atOnce }: Parts): Promise<string[]> {
  const size = Math.max(partBytes, Math.ceil(source.sizeBytes / MOST_PARTS));
  const count = Math.ceil(source.sizeBytes / size);
  const tags = Array.from({ length: count }, () => '');
  let next = 0;
  const state = { failed: false };
  const work = async () => {
    for (let at = next++; at < count && !state.failed; at = next++) {
      const body = await source.read(at * size, Math.min(size, source.sizeBytes - at * size));
      tags[at] = await sendPart(place, upload, { number: at + 1, body });
    }
  };
  const all = await Promise.allSettled(
    Array.from({ length: atOnce }, () =>
      work().catch((error: unknown) => {
        state.failed = true;
        throw error;
      }),
    ),
  );
  const broken = all.find((one) => one.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return tags;
}

interface Part {
  readonly number: number;
  readonly body: Uint8Array;
}

async function sendPart(place: S3Place, { key, uploadId }: Upload, { number, body }: Part): Promise<string> {
  const query = { partNumber: String(number), uploadId };
  const { headers } = await askS3(place, { method: 'PUT', key, query, body });
  const tag = headers.get('etag');
  if (tag === null || !/^[\w"-]{1,200}$/.test(tag)) throw notUnderstood(place);
  return tag;
}

/** A server may answer that it went well, and say in the answer that it did not. */
async function complete(place: S3Place, { key, uploadId }: Upload, tags: readonly string[]): Promise<void> {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const headers = { 'content-type': 'application/xml' };
  const request = { method: 'POST', key, query: { uploadId }, body, headers, understands: [404] } as const;
  const { status, body: answer } = await askS3(place, request);
  // It may have been finished by an attempt whose answer was lost: what is there is read back by whoever needs it to be right.
  if (status === 404) return;
  if (!/<CompleteMultipartUploadResult/.test(answer.toString('utf8'))) throw notUnderstood(place);
}

function notUnderstood(place: S3Place): Failure {
  return new Failure('failed', `The answer of ${nameOfPlace(place)} to an upload in parts cannot be understood.`, {
    hint: 'Nothing is lost. Try again; if it stays so, this server does not speak S3 as others do.',
  });
}

function unlessBug(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}
