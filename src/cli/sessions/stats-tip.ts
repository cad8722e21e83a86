import type { SessionStats } from '../../app/sessions/session-stats.ts';
import { formatBytes, plural } from '../format.ts';

/** One sentence that helps most with what the numbers show, with the command for it. */
export function statsTip(stats: SessionStats): string {
  const dumps = bytesOf(stats, 'dump');
  const transcripts = bytesOf(stats, 'transcript');
  const { sizeBytes } = stats.total;
  const cron = stats.bySource.find(({ source }) => source === 'cron');
  if (dumps > sizeBytes / 2) {
    return `Tip: request dumps take ${formatBytes(dumps)}. Keep fewer with the setting dumps.max_count in config.yaml.`;
  }
  if (cron !== undefined && cron.sessions > stats.total.sessions / 2) {
    return `Tip: ${plural(cron.sessions, 'session')} came from cron. Look at them with: coppice sessions list --source cron`;
  }
  if (transcripts > sizeBytes / 2) {
    return `Tip: transcripts take ${formatBytes(transcripts)}. They are copies; sessions.transcripts: off in config.yaml stops them.`;
  }
  return 'Tip: see the largest sessions with: coppice sessions list --sort bytes';
}

function bytesOf(stats: SessionStats, kind: string): number {
  return stats.byFileKind.find((amount) => amount.kind === kind)?.sizeBytes ?? 0;
}
