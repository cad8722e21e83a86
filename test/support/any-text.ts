import fc from 'fast-check';

/** Any sequence of UTF-16 units, halves of pairs and NULs included, mixed with text of many scripts. */
export function anyText(): fc.Arbitrary<string> {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 });
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    units.map((codes) => String.fromCharCode(...codes)),
  );
}
