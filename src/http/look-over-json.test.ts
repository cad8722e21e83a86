import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookOverJson } from './look-over-json.ts';

const look = (text: string) => lookOverJson(Buffer.from(text));

describe('a body that is looked over', () => {
  it.each([
    '1234567890123456789',
    '-9007199254740993',
    '9007199254740993.0',
    '9007199254740993e0',
    '90071992547409.931',
    '0.30000000000000001',
    '1e999',
    '-1e400',
    '1e-999',
    '3e-324',
    '0.1234567890123456789',
    '1e309',
  ])('is refused with the number %s, and told where it stands', (number) => {
    expect(() => look(`{"a":[1,${number}]}`)).toThrow(`The number ${number} at byte 8 of the body`);
    expect(() => look(`{"a":"${number}","${number}":"\\"${number}"}`)).not.toThrow();
  });

  it.each([
    '0',
    '-0',
    '9007199254740991',
    '1e308',
    '0.30000000000000004',
    '1.5e-7',
    '5e-324',
    '0e999',
    '-0.0',
    '1.50',
    '0.00012300e+7',
    '123456789012345.60',
    '0.29999999999999999',
    '4.9406564584124654e-324',
    '1E23',
    '100000000000000000000',
  ])('may hold the number %s', (number) => expect(() => look(`[${number}]`)).not.toThrow());

  it('passes whatever JSON says of any value that a program can hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        look(JSON.stringify(value));
      }),
    );
  });

  it('passes every double as programs write it, with seventeen digits or as few as will do', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        look(`[${value.toPrecision(17)},${value.toExponential()},${value}]`);
      }),
    );
  });

  it('is refused when it is nested too deeply, or has too many parts, long before it is read', () => {
    expect(() => look('['.repeat(5_000_000))).toThrow('100 levels');
    expect(() => look(`{"a":${'{"a":'.repeat(200)}`)).toThrow('100 levels');
    expect(() => look(`[${'[],'.repeat(200_000)}[]]`)).toThrow('100000 lists');
    expect(() => look(JSON.stringify(['['.repeat(1000), '"\\"', '[{'.repeat(200_000)]))).not.toThrow();
    expect(() => look(`[${'1,'.repeat(200_000)}1]`)).not.toThrow();
  });
});
