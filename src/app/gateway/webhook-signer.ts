import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import { shellWord } from '../../core/shell-word.ts';
import type { EpochMs } from '../../core/time.ts';
import type { DeliverParts } from '../../gateway/cron/deliver.ts';
import { webhookSignature } from '../../gateway/cron/webhook-signature.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import type { Config } from '../config/config-schema.ts';

/** A secret that can be guessed proves nothing. */
const LEAST_CHARS = 16;
const NONE = 'none';

type Settings = Config['webhooks'];
type Env = Readonly<Record<string, string | undefined>>;

/**
 * Signs what goes to webhooks; undefined where no secret is set. The secret is read for each delivery, so that a new one counts at
 * once, and is kept nowhere. Where it cannot be had nothing is sent: who expects a signature must never get a body without.
 */
export function webhookSigner(
  { secret_file: file, secret_env: name }: Settings,
  env: Env,
): ((body: string, at: EpochMs) => string) | undefined {
  if (file === NONE && name === NONE) return undefined;
  return (body, at) => webhookSignature(file === NONE ? fromVariable(name, env) : fromFile(file), body, at);
}

/** An environment without the secret: what is started needs it for nothing. */
export function withoutSecret<E extends Env>(env: E, { secret_env: name }: Settings): E {
  return name === NONE ? env : { ...env, [name]: undefined };
}

/** What every delivery is sent with, by whomever. */
export function secretly(webhooks: Settings): Pick<DeliverParts, 'sign' | 'env'> {
  return { sign: webhookSigner(webhooks, process.env), env: withoutSecret(process.env, webhooks) };
}

function fromVariable(name: string, env: Env): string {
  const secret = env[name]?.trim() ?? '';
  if (secret.length >= LEAST_CHARS) return secret;
  throw noSecret(`the variable ${name} has no secret of at least ${LEAST_CHARS} characters`, SET_IT);
}

function fromFile(path: string): string {
  const handle = opened(path);
  try {
    if (process.platform !== 'win32' && (fstatSync(handle).mode & 0o077) !== 0)
      throw noSecret(`others can read ${path}`, `Close it with: chmod 600 ${shellWord(path)}`);
    const secret = readFileSync(handle, 'utf8').trim();
    if (secret.length >= LEAST_CHARS) return secret;
    throw noSecret(`${path} has no secret of at least ${LEAST_CHARS} characters`, SET_IT);
  } finally {
    closeSync(handle);
  }
}

function opened(path: string): number {
  try {
    return openRegular(path);
  } catch (error) {
    throw noSecret(`${path} cannot be read (${errorText(error)})`, SET_IT);
  }
}

const SET_IT = 'Set webhooks.secret_file or webhooks.secret_env to where it is.';

function noSecret(why: string, hint: string): Failure {
  return new Failure('failed', `the secret of webhooks is missing: ${why}`, { hint });
}
