import type { BackgroundReport } from '../../app/maintenance/background-report.ts';
import { plural } from '../print/format.ts';
import { spaceLine } from '../retention/space-line.ts';

/** What left the trash beside what was asked for, because its time was over. */
export function emptiedLines(emptied: Extract<BackgroundReport, { status: 'off' }>['emptied']): string[] {
  if (emptied === undefined || emptied.items === 0) return [];
  return [
    `Emptied the trash of ${plural(emptied.items, 'item')} whose time to undo was over.`,
    ...spaceLine(emptied.freedBytes, 0),
  ];
}
