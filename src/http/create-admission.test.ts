import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createAdmission } from './create-admission.ts';

it('compares tokens in a time that does not depend on where they differ', () => {
  const compare = vi.spyOn(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  onTestFinished(() => {
    compare.mockRestore();
    syncBuiltinESMExports();
  });
  const admit = createAdmission({ token: 'T'.repeat(43) });
  const statusOf = (token: string) => admit({ host: 'localhost', authorization: `Bearer ${token}` })?.status;
  expect([statusOf(`x${'T'.repeat(42)}`), statusOf(`${'T'.repeat(42)}x`), statusOf('T'.repeat(43))]).toEqual([
    401,
    401,
    undefined,
  ]);
  expect(compare).toHaveBeenCalledTimes(3);
});

it('takes nothing over from the token before', () => {
  const admit = createAdmission({ token: 'T'.repeat(43) });
  const statusOf = (token: string) => admit({ host: 'localhost', authorization: `Bearer ${token}` })?.status;
  const almost = ['', 'T'.repeat(42), `${'T'.repeat(42)}é`, `${'T'.repeat(41)}éé`, `${'T'.repeat(42)}\0`];
  for (const token of almost) {
    expect(statusOf('T'.repeat(43))).toBeUndefined();
    expect(statusOf(token)).toBe(401);
  }
});

it('asks for the name of the host each time it is another one', () => {
  const admit = createAdmission({ token: 'T' });
  const statusOf = (host: string) => admit({ host, authorization: 'Bearer T' })?.status;
  expect(['localhost', 'evil.example', 'localhost', '127.0.0.1:7717', 'evil.example'].map(statusOf)).toEqual([
    undefined,
    403,
    undefined,
    undefined,
    403,
  ]);
});
