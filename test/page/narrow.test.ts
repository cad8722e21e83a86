import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { isRemoval } from '../../src/core/retention/plan.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { captureIo } from '../capture-io.ts';
import { main } from '../../src/cli/main.ts';
import { json, serveHome } from '../http/serve-home.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A home in which all but the newest is past its retention; the third session goes on with the second. */
async function oldHome() {
  const path = `${tempDir()}/home`;
  const clock = manualClock(NOW - 400 * DAY_MS);
  await using home = await openHome({ path, clock });
  const begin = async (id: string, more = {}) => {
    const session = await home.sessions.create({ id, source: 'cli', ...more });
    for (let n = 0; n < 9; n += 1) await session.append({ role: 'user', content: `${id} ${n}` });
    await session.end('done');
  };
  await begin('one');
  await begin('two');
  await begin('three', { parentId: 'two', childKind: 'continuation' });
  await begin('four');
  clock.advance(DAY_MS);
  await begin('newest');
  return path;
}

describe('a plan that is narrowed', () => {
  it('lets go what it let go before but for what was left out and what belongs to it, whatever is left out', async () => {
    const path = await oldHome();
    await using home = await openHome({ path, clock: manualClock() });
    const retention = await home.retention();
    const plan = await home.plan();
    const idsOf = (one: typeof plan) =>
      one.decisions
        .filter(isRemoval)
        .map(({ item }) => item.id)
        .toSorted();
    expect(idsOf(plan)).toEqual(['four', 'one', 'three', 'two']);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.constantFrom<string[]>('one', 'two', 'three', 'four')), async (ids) => {
        const narrow = await retention.narrow(plan, ids);
        const goes = idsOf(narrow);
        expect(goes.filter((id) => ids.includes(id))).toEqual([]);
        expect(goes.includes('two')).toBe(goes.includes('three'));
        const free = ['one', 'four'].filter((id) => !ids.includes(id));
        expect(goes).toEqual(expect.arrayContaining(free));
        expect(narrow.decisions.map(({ item }) => item)).toEqual(plan.decisions.map(({ item }) => item));
      }),
      { numRuns: 16 },
    );
    await expect(retention.narrow(plan, ['five'])).rejects.toThrow('The plan lets nothing go that is called five.');
  });

  it('is applied as it was shown, over HTTP and with --except', async () => {
    const path = await oldHome();
    const { ask } = await serveHome({ path, clock: manualClock() });
    const { id } = (await (await ask('/api/plans', json('POST', {}))).json()) as { id: string };
    const narrow = (await (await ask(`/api/plans/${id}/narrow`, json('POST', { ids: ['three'] }))).json()) as {
      id: string;
      notes: string[];
    };
    expect(narrow.notes).toContain('2 items stay because you left them out.');
    const done = (await (await ask(`/api/plans/${narrow.id}/apply`, { method: 'POST' })).json()) as {
      items: { id: string; status: string }[];
    };
    expect(done.items.map((item) => `${item.id} ${item.status}`).toSorted()).toEqual(['four done', 'one done']);
  });

  it('is narrowed by the command line in the same way', async () => {
    const path = await oldHome();
    const type = async (...words: string[]) => {
      const { io, out, err } = captureIo({ now: NOW });
      const code = await main(['--home', path, ...words], io);
      return { code, out: out(), err: err() };
    };
    const { id } = JSON.parse((await type('--json', 'plan')).out) as { id: string };
    const wrong = await type('apply', id, '--except', 'five', '--yes');
    expect(wrong).toMatchObject({ code: 10, err: expect.stringContaining('nothing go that is called five') });
    const done = await type('--json', 'apply', id, '--except', 'one', '--except', 'two', '--yes');
    const { items } = JSON.parse(done.out) as { items: { id: string }[] };
    expect(items.map((item) => item.id)).toEqual(['four']);
  });
});
