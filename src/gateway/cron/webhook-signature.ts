import { createHmac } from 'node:crypto';
import { type EpochMs, SECOND_MS } from '../../core/time.ts';

/**
 * What proves to a webhook that a body came from here and when: `t=<seconds since 1970>,v1=<HMAC-SHA256 in hexadecimal>`, over the
 * seconds, a dot and the body exactly as it is sent. Whoever checks the time too cannot be sent the same body again years later.
 */
export function webhookSignature(secret: string, body: string, at: EpochMs): string {
  const seconds = Math.floor(at / SECOND_MS);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
