import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createS3Objects } from '../../src/objects/s3/s3-objects.ts';

export const S3_KEYS = { accessKeyId: 'TESTKEY', secretAccessKey: 'test/secret+key' };
const REGION = 'eu-test-1';

export type Fault =
  | { readonly kind: 'answer'; readonly status: number }
  /** Takes the request, and never answers. */
  | { readonly kind: 'silence' }
  /** Does what is asked, and cuts the connection in place of an answer. */
  | { readonly kind: 'lost' }
  /** Announces an answer, and cuts the connection in the middle of it. */
  | { readonly kind: 'truncated' }
  /** Sends or stores other bytes than those it was given. */
  | { readonly kind: 'wrong bytes' };

export interface S3Call {
  readonly number: number;
  /** Such as `PUT object`, `POST uploads`, `GET list`. */
  readonly what: string;
  readonly key: string;
}

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

/**
 * A server on loopback that speaks as much S3 as we do, and checks what real ones check: signatures, hashes of bodies, order and tags of parts.
 * It can be told to misbehave at any call.
 */
export class S3Server implements AsyncDisposable {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Upload>();
  readonly calls: S3Call[] = [];
  conditionalPut: 'honoured' | 'ignored' | 'refused' = 'honoured';
  pageSize = 10;
  faultAt: (call: S3Call) => Fault | undefined = () => undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<S3Server> {
    const server = createServer((request, response) => {
      void self.#serve(request, response).catch((error: unknown) => {
        response.writeHead(500, { 'x-test-error': String(error).slice(0, 200) }).end();
      });
    });
    const self = new S3Server(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  /** Gone when the test is over. */
  static async forTest(): Promise<S3Server> {
    const server = await S3Server.start();
    onTestFinished(() => server[Symbol.asyncDispose]());
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  store({ prefix = 'some/prefix', partBytes = 256 * 1024, timeoutMs = 2000, credentials = S3_KEYS } = {}) {
    return createS3Objects({
      endpoint: new URL(this.endpoint),
      region: REGION,
      bucket: 'bucket',
      prefix,
      partBytes,
      credentials: () => Promise.resolve(credentials),
      retry: { attempts: 6, pauseMs: 1, timeoutMs, slowestBytesPerMs: 10_000 },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '', 'http://s3');
    const [, bucket = '', ...names] = url.pathname.split('/').map(decodeURIComponent);
    const asked: Asked = { method: request.method ?? '', key: names.join('/'), query: url.searchParams, body, request };
    const call = { number: this.calls.length + 1, what: nameOf(asked), key: asked.key };
    this.calls.push(call);
    const fault = this.faultAt(call);
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'answer') return send(response, problem(fault.status, 'InjectedFault'));
    const refusal = bucket === 'bucket' ? refusalOf(asked) : problem(404, 'NoSuchBucket');
    const isWrite = asked.method === 'PUT' && fault?.kind === 'wrong bytes';
    const answer = refusal ?? this.#answer(isWrite ? { ...asked, body: flipped(body) } : asked);
    if (fault?.kind === 'lost') return void request.socket.destroy();
    if (fault?.kind === 'truncated') return cutShort(request, response, answer);
    const wrong = fault?.kind === 'wrong bytes' && asked.method === 'GET';
    send(response, wrong ? { ...answer, body: flipped(answer.body) } : answer);
  }

  #answer(asked: Asked): Answer {
    const { method, key, query } = asked;
    if (key === '' && query.has('uploads')) return this.#listUploads(query);
    if (key === '' && query.get('list-type') === '2') return this.#list(query);
    if (method === 'POST' && query.has('uploads')) return this.#begin(key);
    const uploadId = query.get('uploadId');
    if (uploadId !== null) return this.#inUpload(asked, uploadId);
    if (method === 'PUT') return this.#put(asked);
    if (method === 'DELETE') {
      this.objects.delete(key);
      return { status: 204, body: NOTHING };
    }
    const found = this.objects.get(key);
    if (found === undefined) return problem(404, 'NoSuchKey');
    return method === 'HEAD'
      ? { status: 200, body: NOTHING, headers: { 'content-length': `${found.length}` } }
      : ranged(asked, found);
  }

  #put({ key, body, request }: Asked): Answer {
    if (request.headers['if-none-match'] === '*') {
      if (this.conditionalPut === 'refused') return problem(501, 'NotImplemented');
      if (this.conditionalPut === 'honoured' && this.objects.has(key)) return problem(412, 'PreconditionFailed');
    }
    this.objects.set(key, body);
    return { status: 200, body: NOTHING, headers: { etag: tagOf(body) } };
  }

  #begin(key: string): Answer {
    const id = `${randomBytes(8).toString('hex')}&+/=`;
    this.uploads.set(id, { key, parts: new Map() });
    return xml(`<InitiateMultipartUploadResult><UploadId>${escaped(id)}</UploadId></InitiateMultipartUploadResult>`);
  }

  #inUpload({ method, key, query, body }: Asked, id: string): Answer {
    const upload = this.uploads.get(id);
    if (upload === undefined || upload.key !== key) return problem(404, 'NoSuchUpload');
    if (method === 'DELETE') {
      this.uploads.delete(id);
      return { status: 204, body: NOTHING };
    }
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return { status: 200, body: NOTHING, headers: { etag: tagOf(body) } };
    }
    const named = Array.from(
      body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)</g),
      ([, number, tag]) => ({ part: upload.parts.get(Number(number)), tag }),
    );
    if (named.length === 0 || named.some(({ part, tag }) => part === undefined || tagOf(part) !== tag))
      return problem(400, 'InvalidPart');
    this.objects.set(key, Buffer.concat(named.flatMap(({ part }) => part ?? [])));
    this.uploads.delete(id);
    return xml('<CompleteMultipartUploadResult><ETag>"whole-2"</ETag></CompleteMultipartUploadResult>');
  }

  #list(query: URLSearchParams): Answer {
    const after = query.get('continuation-token') ?? '';
    const keys = [...this.objects.keys()]
      .toSorted()
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
    const page = keys.slice(0, this.pageSize);
    const more = keys.length > page.length;
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length}</Size></Contents>`,
    );
    const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return xml(`<ListBucketResult><IsTruncated>${more}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`);
  }

  #listUploads(query: URLSearchParams): Answer {
    const all = [...this.uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''));
    const uploads = all.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${escaped(id)}</UploadId></Upload>`);
    return xml(
      `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`,
    );
  }
}

interface Asked {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly request: IncomingMessage;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers?: Record<string, string>;
}

const NOTHING = Buffer.alloc(0);

function nameOf({ method, key, query }: Asked): string {
  if (query.has('uploads')) return method === 'POST' ? 'begin upload' : 'list uploads';
  if (query.has('uploadId')) return { PUT: 'put part', POST: 'complete upload' }[method] ?? 'abort upload';
  if (key === '') return 'list';
  return `${method.toLowerCase()} ${key.split('/').at(-2)}`;
}

/** Checks the signature in its own way: from what came over the wire. */
function refusalOf({ method, body, request }: Asked): Answer | undefined {
  const { authorization = '', ...headers } = request.headers as Record<string, string>;
  const [, credential = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(authorization) ?? [];
  const [keyId, day = '', region = '', service = '', end = ''] = credential.split('/');
  if (keyId !== S3_KEYS.accessKeyId) return problem(403, 'InvalidAccessKeyId');
  if (region !== REGION) return problem(400, 'AuthorizationHeaderMalformed');
  const signed = names.split(';');
  const mustBe = Object.keys(headers).filter((name) => name.startsWith('x-amz-') || name === 'host');
  if (mustBe.some((name) => !signed.includes(name))) return problem(403, 'AccessDenied');
  if (headers['x-amz-content-sha256'] !== sha256(body)) return problem(400, 'XAmzContentSHA256Mismatch');
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const sortedQuery = query
    .replaceAll('+', '%20')
    .split('&')
    .map((pair) => (pair === '' || pair.includes('=') ? pair : `${pair}=`))
    .toSorted()
    .join('&');
  const canonical = [
    method,
    path,
    sortedQuery,
    ...signed.map((name) => `${name}:${headers[name]}`),
    '',
    names,
    sha256(body),
  ];
  const text = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    `${day}/${region}/${service}/${end}`,
    sha256(Buffer.from(canonical.join('\n'))),
  ];
  let key = Buffer.from(`AWS4${S3_KEYS.secretAccessKey}`);
  for (const part of [day, region, service, end]) key = createHmac('sha256', key).update(part).digest();
  const right = createHmac('sha256', key).update(text.join('\n')).digest('hex');
  return right === signature ? undefined : problem(403, 'SignatureDoesNotMatch');
}

function ranged({ request }: Asked, found: Buffer): Answer {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (first === undefined) return { status: 200, body: found };
  if (Number(first) >= found.length) return problem(416, 'InvalidRange');
  return { status: 206, body: found.subarray(Number(first), Number(last) + 1) };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-length': `${body.length}`, ...headers }).end(body);
}

function cutShort(request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-length': `${body.length + 10}` });
  response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
  if (body.length < 2) request.socket.destroy();
}

function problem(status: number, code: string): Answer {
  return { ...xml(`<Error><Code>${code}</Code><Message>quoted: ${S3_KEYS.accessKeyId}</Message></Error>`), status };
}

function xml(content: string): Answer {
  return { status: 200, body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${content}`) };
}

function flipped(body: Buffer): Buffer {
  const other = Buffer.from(body);
  if (other.length > 0) other[other.length >> 1] = (other[other.length >> 1] ?? 0) ^ 1;
  return other;
}

function tagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;');
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
