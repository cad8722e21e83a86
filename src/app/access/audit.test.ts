import { appendFileSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualClock, NOW } from '../../../test/support/clock.ts';
import { collect } from '../../../test/support/collect.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { AuditRecord } from '../../core/audit.ts';
import { DAY_MS } from '../../core/time.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { recordClock } from '../../keeping/liveness/clock-watch.ts';
import { Audit } from './audit.ts';

async function place() {
  const root = tempDir();
  const clock = manualClock();
  const store = await openNativeStore(root, { clock });
  const audit = new Audit({ layout: nativeLayout(root), clock, store });
  const record = (change: Partial<AuditRecord> = {}): AuditRecord => ({
    at: clock.now(),
    who: 'ci',
    via: 'token',
    what: 'DELETE /api/sessions/{id}',
    outcome: 'done',
    ...change,
  });
  const files = () => readdirSync(join(root, 'audit')).toSorted();
  const bytes = () => files().reduce((sum, name) => sum + statSync(join(root, 'audit', name)).size, 0);
  return { root, clock, store, audit, record, files, bytes, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

describe('the audit log', () => {
  it('has what was noted, newest first, for the eyes of its owner', async () => {
    await using here = await place();
    here.audit.note(here.record({ subject: 'one' }));
    here.clock.advance(5);
    here.audit.note(here.record({ subject: 'two', who: 'other' }));
    expect((await collect(here.audit.list())).map(({ subject }) => subject)).toEqual(['two', 'one']);
    expect((await collect(here.audit.list({ who: 'ci' }))).map(({ subject }) => subject)).toEqual(['one']);
    expect((await collect(here.audit.list({ since: NOW + 1 }))).map(({ subject }) => subject)).toEqual(['two']);
    const [name = ''] = here.files();
    expect(statSync(join(here.root, 'audit', name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(here.root, 'audit')).mode & 0o777).toBe(0o700);
  });

  it('counts what happens all day long, and writes one line for it', async () => {
    await using here = await place();
    for (let number = 0; number < 10_000; number += 1)
      here.audit.add(here.record({ what: 'append', subject: 's', requestId: `r-${number}` }));
    await here.audit.flush();
    await here.audit.flush();
    expect(await collect(here.audit.list())).toMatchObject([{ what: 'append', count: 10_000, requestId: 'r-9999' }]);
    expect(here.bytes()).toBeLessThan(300);
  });

  it('stays within its bound, and appends push out no removal', async () => {
    await using here = await place();
    const detail = 'x'.repeat(2000);
    here.audit.note(here.record({ subject: 'the removal' }));
    for (let number = 0; number < 12_000; number += 1) {
      here.clock.advance(1);
      here.audit.add(here.record({ what: 'append', subject: String(number), detail }));
    }
    await here.audit.flush();
    expect(here.bytes()).toBeLessThan(6 * 1024 * 1024);
    expect((await collect(here.audit.list())).at(-1)?.subject).toBe('the removal');
    // The newest are the ones that are left.
    expect((await collect(here.audit.list({ limit: 1 })))[0]?.subject).toBe('11999');
  });

  it('goes on in a file of its own after a month, and forgets after 400 days, while the clock is believed', async () => {
    await using here = await place();
    here.audit.note(here.record({ subject: 'old' }));
    for (let month = 0; month < 16; month += 1) {
      here.clock.advance(31 * DAY_MS);
      here.audit.note(here.record({ subject: `month ${month}` }));
      await recordClock(here.store, here.clock);
      await here.audit.flush();
    }
    expect((await collect(here.audit.list())).map(({ subject }) => subject)).not.toContain('old');
    const left = here.files().length;
    expect(left).toBe(14);
    // A clock that jumps ahead takes nothing away.
    here.clock.advance(5000 * DAY_MS);
    await here.audit.flush();
    expect(here.files()).toHaveLength(left);
  });

  it('passes over a line that was cut off, and loses none after it', async () => {
    await using here = await place();
    here.audit.note(here.record({ subject: 'one' }));
    const file = join(here.root, 'audit', here.files()[0] ?? '');
    appendFileSync(file, '{"v":1,"at":"2026');
    here.audit.note(here.record({ subject: 'two' }));
    expect(new Set((await collect(here.audit.list())).map(({ subject }) => subject))).toEqual(new Set(['one', 'two']));
  });

  it('is written nowhere else, whatever takes the place of its folder', async () => {
    await using here = await place();
    const elsewhere = tempDir();
    symlinkSync(elsewhere, join(here.root, 'audit'));
    expect(() => here.audit.note(here.record())).toThrow();
    expect([readdirSync(elsewhere), await collect(here.audit.list())]).toEqual([[], []]);
  });

  it('holds together when several write at once', async () => {
    await using here = await place();
    const others = Array.from({ length: 4 }, () => here.audit);
    await Promise.all(
      others.map(async (audit, writer) => {
        for (let number = 0; number < 25; number += 1) {
          audit.note(here.record({ subject: `${writer}-${number}` }));
          await Promise.resolve();
        }
      }),
    );
    expect(await collect(here.audit.list())).toHaveLength(100);
    expect(readFileSync(join(here.root, 'audit', here.files()[0] ?? ''), 'utf8').split('\n')).toHaveLength(101);
  });
});
