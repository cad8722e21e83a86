import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createColour } from './colour.ts';
import { displayWidth } from './display-width.ts';
import { renderTable, type Table } from './table.ts';

const PLAIN: Pick<Table, 'width' | 'colour'> = { width: Number.POSITIVE_INFINITY, colour: createColour(false) };

it('aligns columns two spaces apart, without trailing spaces', () => {
  const columns = [{ title: 'ID' }, { title: 'SIZE', align: 'right' as const }, { title: 'TITLE' }];
  const rows = [
    ['a', '12 MB', 'first'],
    ['abc', '1 B', ''],
  ];
  expect(renderTable({ ...PLAIN, columns, rows })).toBe('ID    SIZE  TITLE\na    12 MB  first\nabc    1 B\n');
});

it('aligns wide characters by what they take on the screen', () => {
  const columns = [{ title: 'T' }, { title: 'N' }];
  const rows = [
    ['日本', '1'],
    ['ab', '2'],
    ['e\u0301', '3'],
  ];
  expect(renderTable({ ...PLAIN, columns, rows })).toBe('T     N\n日本  1\nab    2\ne\u0301     3\n');
});

it('cuts only the columns that may shrink, the widest first', () => {
  const columns = [{ title: 'ID' }, { title: 'TITLE', shrink: true }, { title: 'DIR', shrink: true, minWidth: 4 }];
  const rows = [['0123456789', 'a long title that goes on', '/home/someone']];
  expect(renderTable({ ...PLAIN, columns, rows, width: 30 }).split('\n')[1]).toBe('0123456789  a long …  /home/s…');
  expect(renderTable({ ...PLAIN, columns, rows, width: 5 }).split('\n')[1]).toBe('0123456789  a lo…  /ho…');
});

it('cuts nothing where there is no terminal', () => {
  const title = 'x'.repeat(5000);
  expect(renderTable({ ...PLAIN, columns: [{ title: 'T', shrink: true }], rows: [[title]] })).toBe(`T\n${title}\n`);
});

it('prints the header in bold, and escape sequences of cells as text', () => {
  const table = renderTable({
    ...PLAIN,
    colour: createColour(true),
    columns: [{ title: 'T' }],
    rows: [['\x1b[31mred\n']],
  });
  expect(table).toBe('\x1b[1mT\x1b[22m\n␛[31mred⏎\n');
});

it('fits any width that its fixed columns leave room for, one line per row', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '世', '🎉', '\n', 'e\u0301'), maxLength: 40 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), fc.integer({ min: 12, max: 80 }), (rows, width) => {
      const columns = [
        { title: 'A', shrink: true },
        { title: 'B', shrink: true, align: 'right' as const },
      ];
      const lines = renderTable({ ...PLAIN, columns, rows, width })
        .trimEnd()
        .split('\n');
      expect(lines.length).toBeLessThanOrEqual(rows.length + 1);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }),
  );
});
