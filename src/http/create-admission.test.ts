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
