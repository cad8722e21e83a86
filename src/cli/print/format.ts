/** How people read figures, in a terminal and on the page alike. */
export {
  formatAge,
  formatBytes,
  formatCount,
  formatDate,
  formatDuration,
  formatTime,
  formatTokens,
  formatUsd,
  plural,
} from '../../core/format.ts';
