import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { hideUrlSecrets } from '../../core/hide-url-secrets.ts';
import { amount, amountOrNever, choice, quote, yesOrNo } from './config-values.ts';

const S3 = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199})*$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

interface Wrong {
  readonly input?: unknown;
}

function isPlace(text: string): boolean {
  if (text === 'none' || S3.test(text)) return true;
  return text.startsWith('file:/') && isAbsolute(text.slice('file:'.length)) && !text.startsWith('file://');
}

function notAPlace({ input }: Wrong): string {
  return `${shown(input)} is not possible here. Write s3://bucket/prefix, file:/folder with a whole path, or none.`;
}

function isEndpoint(text: string): boolean {
  if (text === 'none') return true;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return false;
  return `${url.username}${url.password}${url.search}${url.hash}` === '';
}

function notAnEndpoint({ input }: Wrong): string {
  return `${shown(input)} is not possible here. Write the address of the server, such as https://s3.example.org, without keys in it, or none.`;
}

function isSource(text: string): boolean {
  return text === 'environment' || text === 'chain' || isAbsolute(text);
}

/** What was written may be a key, so it is not said again. */
function notASource(): string {
  return 'This is not possible here. Write environment, chain or the whole path of a file with the keys, and never a key.';
}

function notARegion({ input }: Wrong): string {
  return `${shown(input)} is not the name of a region. Write one such as eu-central-1.`;
}

/** As it was written, but for a name and a password in an address. */
function shown(input: unknown): string {
  return quote(typeof input === 'string' ? hideUrlSecrets(input) : input);
}

export const archiveSchema = z
  .strictObject({
    codec: choice(['brotli', 'gzip'])
      .default('brotli')
      .describe('How archived sessions are compressed: brotli or gzip.'),
    retention_days: amountOrNever('days').default('never').describe('Remove archived sessions after this many days.'),
    url: z
      .string({ error: notAPlace })
      .refine(isPlace, { error: notAPlace })
      .default('none')
      .describe(
        'Where archived sessions go: s3://bucket/prefix, or file:/folder for a folder that is there already, such as one on another disk; none keeps them in the home.',
      ),
    endpoint: z
      .string({ error: notAnEndpoint })
      .refine(isEndpoint, { error: notAnEndpoint })
      .default('none')
      .describe('The server of the bucket, such as https://s3.example.org; none is that of AWS in the region.'),
    region: z
      .string({ error: notARegion })
      .regex(/^[a-z0-9-]{1,60}$/, { error: notARegion })
      .default('us-east-1')
      .describe('The region of the bucket. Many servers other than AWS take any.'),
    credentials: z
      .string({ error: notASource })
      .refine(isSource, { error: notASource })
      .default('environment')
      .describe(
        'Where the keys of the bucket are: environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), the path of a file that only you may read, or chain, as the tools of AWS find them.',
      ),
    allow_http: yesOrNo()
      .default(false)
      .describe('Speak plain HTTP with a server on another machine. What is archived can be read on its way then.'),
    cache_mb: amount('mb')
      .default(64)
      .describe(
        'Of archived sessions that are elsewhere, keep at most this many megabytes here that were looked at last.',
      ),
  })
  .refine(({ endpoint, allow_http: allowed }) => allowed || !isPlainHttp(endpoint), {
    path: ['endpoint'],
    error:
      'Plain HTTP to another machine can be read on its way. Write https://, or set archive.allow_http to true if you mean it.',
  });

function isPlainHttp(endpoint: string): boolean {
  if (!endpoint.startsWith('http:') || !URL.canParse(endpoint)) return false;
  return !LOOPBACK.test(new URL(endpoint).hostname);
}
