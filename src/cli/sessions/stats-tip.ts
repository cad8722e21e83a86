import type { SessionStats } from '../../app/sessions/session-stats.ts';
import type { CleanUp } from '../../core/retention/clean-up.ts';
import { formatBytes, plural } from '../print/format.ts';

/** One sentence that helps most with what the numbers show, with the command for it. */
export function statsTip(stats: SessionStats): string {
  const [most] = stats.cleanUps;
  if (most === undefined) return habitTip(stats);
  const command = ['coppice', most.command].join(' ');
  return `Tip: ${SENTENCES[most.command](most)}: ${command}`;
}

const SENTENCES: Readonly<Record<CleanUp['command'], (cleanUp: CleanUp) => string>> = {
  'sessions prune': ({ items, sizeBytes }) =>
    `${plural(items, 'session')} past their retention take ${formatBytes(sizeBytes)}. Remove them with`,
  'sessions prune --files-only': ({ items, sizeBytes }) =>
    `files of ${plural(items, 'session')}, or of none any more, take ${formatBytes(sizeBytes)}. Remove them with`,
  'sessions gc': ({ items, sizeBytes }) =>
    `${plural(items, 'session')} with hardly anything in them take ${formatBytes(sizeBytes)}. Remove them with`,
  'sessions archive': ({ items, sizeBytes }) =>
    `${plural(items, 'session')} in the archive would take about ${formatBytes(sizeBytes)} less. Move them with`,
  'trash empty --expired': ({ sizeBytes }) =>
    `what can no longer be undone takes ${formatBytes(sizeBytes)} in the trash. Empty it with`,
  'checkpoints prune': ({ items, sizeBytes }) =>
    `${plural(items, 'checkpoint')} beyond the limits take ${formatBytes(sizeBytes)}. Remove them with`,
};

/** Where nothing is to be cleaned up: what would make less of it. */
function habitTip(stats: SessionStats): string {
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
  return 'Tip: see the largest sessions with: coppice sessions list --sort size';
}

function bytesOf(stats: SessionStats, kind: string): number {
  return stats.byFileKind.find((amount) => amount.kind === kind)?.sizeBytes ?? 0;
}
