import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import { shellWord } from '../../core/shell-word.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import type { S3Credentials } from './sign-request.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the keys of a bucket are: in the environment, found as the tools of AWS find them, or in a file that only its owner may read. */
export type CredentialSource = 'environment' | 'chain' | (string & {});

/** Asked for each request and kept nowhere longer than they hold, so that new keys count at once. No key is ever in what is said. */
export function s3Credentials(source: CredentialSource, env: Env): () => Promise<S3Credentials> {
  if (source === 'environment') return async () => fromEnvironment(env);
  if (source !== 'chain') return async () => fromFile(source);
  let provider: Promise<() => Promise<S3Credentials>> | undefined;
  return async () => {
    provider ??= chain();
    return askChain(await provider);
  };
}

const PACKAGE = '@aws-sdk/credential-provider-node';

/** Loaded only by who asks for it. */
async function chain(): Promise<() => Promise<S3Credentials>> {
  try {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    return defaultProvider();
  } catch (error) {
    throw noKeys(`archive.credentials is chain, and the package ${PACKAGE} cannot be loaded`, {
      hint: `Install it beside Coppice with: npm install ${PACKAGE}`,
      cause: error,
    });
  }
}

async function askChain(provider: () => Promise<S3Credentials>): Promise<S3Credentials> {
  try {
    return await provider();
  } catch (error) {
    throw noKeys('nothing in the chain of AWS has any', {
      hint: 'See what it finds with: aws sts get-caller-identity',
      cause: error,
    });
  }
}

function fromEnvironment(env: Env): S3Credentials {
  return keysOf(
    {
      aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
      aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'],
      aws_session_token: env['AWS_SESSION_TOKEN'],
    },
    {
      why: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set',
      hint: 'Set them, or write a file with them into archive.credentials.',
    },
  );
}

/** In the way of the tools of AWS: `name = value`, in a section or in none. The first section counts. */
function fromFile(path: string): S3Credentials {
  const handle = opened(path);
  try {
    if (process.platform !== 'win32' && (fstatSync(handle).mode & 0o077) !== 0)
      throw noKeys(`others can read ${path}`, { hint: `Close it with: chmod 600 ${shellWord(path)}` });
    const sections = readFileSync(handle, 'utf8').split(/^\s*\[[^\]\n]*\]\s*$/m);
    const section = sections.find((text) => text.trim() !== '') ?? '';
    const pairs = Array.from(
      section.matchAll(/^\s*(aws_\w+)\s*=\s*(\S+)\s*$/gm),
      ([, name, value]) => [name, value] as const,
    );
    return keysOf(Object.fromEntries(pairs) as Record<string, string>, {
      why: `${path} does not hold both of them`,
      hint: 'Write two lines into it: aws_access_key_id = … and aws_secret_access_key = …',
    });
  } finally {
    closeSync(handle);
  }
}

function opened(path: string): number {
  try {
    return openRegular(path);
  } catch (error) {
    throw noKeys(`${path} cannot be read (${errorText(error)})`, {
      hint: 'Set archive.credentials to where they are.',
    });
  }
}

interface Missing {
  readonly why: string;
  readonly hint: string;
}

function keysOf(
  { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token }: Env,
  { why, hint }: Missing,
): S3Credentials {
  if (!id || !secret) throw noKeys(why, { hint });
  return { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) };
}

function noKeys(why: string, options: { readonly hint: string; readonly cause?: unknown }): Failure {
  return new Failure('failed', `The keys of the bucket for archives are missing: ${why}.`, options);
}
