import { createHash } from 'node:crypto';

/** `none`: no seal is on it, so it is somebody else's. `edited`: it was written by Coppice and changed since. */
export type SealState = 'intact' | 'edited' | 'none';

/** Adds a last line by which `readSeal` knows whether anybody has changed the text. `comment` makes a line that means nothing. */
export function sealed(text: string, comment: (words: string) => string): string {
  return `${text}${comment(`${WORDS} ${digestOf(text)}`)}\n`;
}

export function readSeal(content: string): SealState {
  const found = SEAL.exec(content);
  if (found === null) return content.includes(WORDS) ? 'edited' : 'none';
  return found[2] === digestOf(found[1] ?? '') ? 'intact' : 'edited';
}

const WORDS = 'Written by coppice service install. Seal:';
const SEAL = /^([\s\S]*\n)[^\n]*Written by coppice service install\. Seal: ([0-9a-f]{64})[^\n]*\n$/;

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
