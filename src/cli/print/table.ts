import type { Colour } from './colour.ts';
import { displayWidth, truncate } from './display-width.ts';
import { safeText } from './safe-text.ts';

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** What the table must fit: `columns` of the output, endless when it is not a terminal. */
  readonly width: number;
  readonly colour: Colour;
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Whether its cells may be cut short to make the table fit. */
  readonly shrink?: boolean;
  /** The least it shrinks to; its title when absent. */
  readonly minWidth?: number;
}

const GAP = '  ';

/** Plain aligned columns under a header, one line per row. Cells are made safe to print. */
export function renderTable({ columns, rows, width, colour }: Table): string {
  const cells = rows.map((row) => columns.map((_, at) => safeText(row[at] ?? '')));
  const widths = fit(columns, naturalWidths(columns, cells), width);
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => pad(truncate(cell, widths[at] ?? 0), widths[at] ?? 0, columns[at]?.align))
      .join(GAP)
      .trimEnd();
  const header = colour.bold(line(columns.map(({ title }) => title)));
  return [header, ...cells.map(line), ''].join('\n');
}

function naturalWidths(columns: readonly Column[], cells: readonly (readonly string[])[]): number[] {
  const widths = columns.map(({ title }) => displayWidth(title));
  for (const row of cells)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
  return widths;
}

/** Takes from the widest column that may shrink until the table fits or none can give more. */
function fit(columns: readonly Column[], natural: readonly number[], width: number): readonly number[] {
  const least = columns.map(({ shrink, minWidth, title }, at) =>
    shrink ? Math.min(minWidth ?? displayWidth(title), natural[at] ?? 0) : (natural[at] ?? 0),
  );
  // No column is wider than the whole, which bounds the steps below.
  const widths = natural.map((value, at) => Math.max(least[at] ?? 0, Math.min(value, width)));
  let excess = widths.reduce((sum, value) => sum + value, GAP.length * (widths.length - 1)) - width;
  while (excess > 0) {
    const spare = widths.map((value, at) => (value > (least[at] ?? 0) ? value : 0));
    const widest = Math.max(...spare);
    if (widest === 0) break;
    widths[spare.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return widths;
}

function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const blank = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + blank : blank + text;
}
