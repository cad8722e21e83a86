import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeJson, MOST_ESCAPED } from './escape-json.ts';

it('writes any text as JSON.stringify does, and never more than it says', () => {
  const edges = fc.constantFrom(
    '',
    '"',
    '\\',
    '\u007f\u0080',
    '\u2028',
    ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(edges, fc.string({ unit: 'binary' }))), (parts) => {
      const text = Buffer.from(parts.join(''));
      const into = Buffer.alloc(3 + text.length * MOST_ESCAPED);
      const end = escapeJson(text, into, 3);
      expect(into.toString('utf8', 3, end)).toBe(JSON.stringify(text.toString('utf8')).slice(1, -1));
    }),
  );
});
