import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createBearerFinder } from '../../app/access/find-bearer.ts';
import { type Admitted, createAdmission } from './create-admission.ts';

function admission(token: string) {
  return createAdmission({ find: createBearerFinder({ homePath: tempDir(), token, clock: Date }).find });
}

function statusIn(admitted: Admitted): number | undefined {
  return 'refused' in admitted ? admitted.refused.status : undefined;
}

it('compares tokens in a time that does not depend on where they differ', () => {
  const compare = vi.spyOn(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  onTestFinished(() => {
    compare.mockRestore();
    syncBuiltinESMExports();
  });
  const admit = admission('T'.repeat(43));
  const statusOf = (token: string) => statusIn(admit({ host: 'localhost', authorization: `Bearer ${token}` }));
  expect([statusOf(`x${'T'.repeat(42)}`), statusOf(`${'T'.repeat(42)}x`), statusOf('T'.repeat(43))]).toEqual([
    401,
    401,
    undefined,
  ]);
  expect(compare).toHaveBeenCalledTimes(3);
});

it('takes nothing over from the token before', () => {
  const admit = admission('T'.repeat(43));
  const statusOf = (token: string) => statusIn(admit({ host: 'localhost', authorization: `Bearer ${token}` }));
  const almost = ['', 'T'.repeat(42), `${'T'.repeat(42)}é`, `${'T'.repeat(41)}éé`, `${'T'.repeat(42)}\0`];
  for (const token of almost) {
    expect(statusOf('T'.repeat(43))).toBeUndefined();
    expect(statusOf(token)).toBe(401);
  }
});

it('asks for the name of the host each time it is another one', () => {
  const admit = admission('T');
  const statusOf = (host: string) => statusIn(admit({ host, authorization: 'Bearer T' }));
  expect(['localhost', 'evil.example', 'localhost', '127.0.0.1:7717', 'evil.example'].map(statusOf)).toEqual([
    undefined,
    403,
    undefined,
    undefined,
    403,
  ]);
});
