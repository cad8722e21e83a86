import { formatBytes } from '../print/format.ts';

/** What a run did for the disk: now, and once its trash is emptied. Nothing where neither is anything. */
export function spaceLine(freedBytes: number, waitingBytes: number): string[] {
  const sentences = [
    ...(freedBytes > 0 ? [`The disk has ${formatBytes(freedBytes)} more.`] : []),
    ...(waitingBytes > 0 ? [`About ${formatBytes(waitingBytes)} is freed when the trash is emptied.`] : []),
  ];
  return sentences.length === 0 ? [] : [sentences.join(' ')];
}
