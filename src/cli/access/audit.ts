import { auditDocument } from '../../app/documents/access-document.ts';
import type { AuditRecord } from '../../core/audit.ts';
import type { CommandInput } from '../command.ts';
import { formatCount, formatTime } from '../print/format.ts';
import { forSamePlace } from '../hint-command.ts';
import { writeJsonList } from '../print/json-output.ts';
import { mapped } from '../mapped.ts';
import { renderTable } from '../print/table.ts';
import { withAppRecords } from '../with-app.ts';
import type { AuditOptions } from './options.ts';

/** A screenful. Programs get everything unless they ask for less. */
const SHOWN = 30;

/** `coppice audit [--since D] [--who NAME]` */
export function run(input: CommandInput<AuditOptions>): Promise<number> {
  const { options, io, global } = input;
  return withAppRecords(input, async (home) => {
    if (global.json) {
      await writeJsonList(io.out, { name: 'records', items: mapped(home.audit.list(options), auditDocument) });
      return 0;
    }
    const { limit = SHOWN, ...query } = options;
    const rows: string[][] = [];
    for await (const record of home.audit.list({ ...query, limit: limit + 1 })) rows.push(row(record));
    if (rows.length === 0) io.out.write(forSamePlace(global, nothing(options)));
    else {
      const shown = { columns: COLUMNS, rows: rows.slice(0, limit) };
      io.out.write(renderTable({ ...shown, width: io.out.columns, colour: io.out.colour }));
    }
    if (rows.length > limit) io.err.write(`\nThere are more. Add --limit ${limit * 5} to see them.\n`);
    return 0;
  });
}

const COLUMNS = [
  { title: 'WHEN' },
  { title: 'WHO', shrink: true },
  { title: 'FROM' },
  { title: 'WHAT', shrink: true, minWidth: 20 },
  { title: 'ABOUT', shrink: true, minWidth: 12 },
  { title: 'OUTCOME' },
];

function row({ at, who, via, address = '', what, subject = '', detail, outcome, count = 1 }: AuditRecord): string[] {
  const times = count === 1 ? '' : ` (${formatCount(count)} times)`;
  const about = detail === undefined ? subject : `${subject} (${detail})`;
  return [formatTime(at), who, via === 'command' ? 'a command' : address, what + times, about, outcome];
}

function nothing({ since, who }: AuditOptions): string {
  if (since !== undefined || who !== undefined)
    return 'Nothing on record matches. See everything with: coppice audit\n';
  return 'Nothing is on record yet. What changes over HTTP, and who gets a token, will be.\nGive somebody one with: coppice token create NAME --scope read\n';
}
