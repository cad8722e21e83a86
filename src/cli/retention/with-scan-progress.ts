import type { RetentionOptions } from '../../app/retention/retention.ts';
import type { Io } from '../io.ts';
import { startProgress } from '../print/progress.ts';

/** Runs a scan with its progress on stderr. */
export async function withScanProgress<T>(io: Io, work: (options: RetentionOptions) => Promise<T>): Promise<T> {
  using progress = startProgress(io, { label: 'Looking' });
  return await work({ signal: io.signal, onProgress: (done) => progress.update({ done }) });
}
