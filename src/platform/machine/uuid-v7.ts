import { randomFillSync } from 'node:crypto';
import type { EpochMs } from '../../core/time.ts';

/** A new UUID of version 7 (RFC 9562): sorts by the time it was made, and is random beyond that. */
export function uuidV7(now: EpochMs): string {
  const bytes = randomFillSync(Buffer.alloc(16));
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
