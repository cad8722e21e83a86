import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planDocument } from '../../src/app/documents/plan-document.ts';
import { main } from '../../src/cli/main.ts';
import type { Decision, Plan } from '../../src/core/retention/plan.ts';
import { isRemoval, type Removal } from '../../src/core/retention/plan.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { captureIo } from '../capture-io.ts';
import { manualClock } from '../support/clock.ts';
import { treeOf } from '../support/engine-checker.ts';
import { tempDir } from '../support/temp-dir.ts';
import { json, type Served, serveHome, TOKEN } from './serve-home.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');

/** A home with sessions of a month ago. */
async function served(): Promise<Served> {
  const clock = manualClock(NOW - 30 * DAY_MS);
  const at = await serveHome({ clock });
  for (const id of ['one', 'two', 'held']) {
    const session = await at.home.sessions.create({ id, source: 'old', workdir: '/projects/app' });
    await session.append({ role: 'user', content: `the words of ${id}` });
    if (id === 'held') await session.pin();
    await session.end('done');
  }
  clock.advance(30 * DAY_MS);
  return at;
}

/** Types a line with `--remote`, as a person does who has only a file. */
async function far({ server }: Served, ...words: readonly string[]) {
  const { io, out, err } = captureIo({ now: NOW, env: { COPPICE_TOKEN: TOKEN } });
  const code = await main(['--remote', server.url, ...words], io);
  return { code, stdout: out(), stderr: err() };
}

function inFile(plan: Plan): string {
  const file = join(tempDir(), 'plan.json');
  writeFileSync(file, JSON.stringify(planDocument(plan)));
  return file;
}

/** What somebody writes who knows how the id of a plan is made. */
function forged(plan: Plan, ...decisions: readonly Decision[]): Plan {
  return { ...plan, decisions };
}

function removalOf(id: string, { decisions }: Plan): Removal {
  const found = decisions.filter(isRemoval).find(({ item }) => item.id === id);
  if (found === undefined) throw new Error(`${id} stays`);
  return found;
}

const ALL = { kind: 'prune', filter: { source: 'old' }, part: 'all' } as const;

describe('a plan that the daemon does not keep', () => {
  it('is sent, carried out, and good for one time', async () => {
    const at = await served();
    const file = inFile(await at.home.plan(ALL));
    const { code, stdout } = await far(at, 'apply', file, '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ done: 2, skipped: 0 })]);
    expect(await at.home.sessions.get('one')).toBeUndefined();
    expect((await far(at, 'undo', '--yes')).code).toBe(0);
    const again = await far(at, 'apply', file, '--yes');
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('applied already')]);
    expect(await at.home.sessions.get('one')).toMatchObject({ messageCount: 1 });
  });

  it('skips what has changed since, and does the rest', async () => {
    const at = await served();
    const file = inFile(await at.home.plan(ALL));
    const session = await at.home.sessions.open('one');
    await session.resume();
    await session.append({ role: 'user', content: 'there is more' });
    await session.end('done');
    const { code, stdout } = await far(at, 'apply', file, '--yes', '--json');
    const { items } = JSON.parse(stdout) as { items: object[] };
    expect([code, items]).toEqual([
      3,
      [
        expect.objectContaining({ id: 'two', status: 'done' }),
        expect.objectContaining({ id: 'one', status: 'skipped', detail: 'It has changed since the plan was made.' }),
      ],
    ]);
    expect(await at.home.sessions.get('one')).toMatchObject({ messageCount: 2 });
  });

  it('removes nothing that the home itself would keep, whoever wrote it', async () => {
    const at = await served();
    const plan = await at.home.plan({ kind: 'delete', ids: ['one'] });
    const { mtimeMs, size } = statSync(join(at.home.path, 'state.db'));
    const like = removalOf('two', await at.home.plan(ALL));
    const file = { sizeBytes: size, fingerprint: `${Math.floor(mtimeMs)}:${size}`, skipsTrash: true } as const;
    const decisions: Decision[] = [
      { item: { kind: 'orphan', id: 'state.db' }, action: 'remove', reason: 'orphan', ...file },
      { item: { kind: 'debris', id: '../../../etc/hostname' }, action: 'remove', reason: 'debris', ...file },
      { ...like, item: { kind: 'session', id: 'held' } },
      like,
    ];
    const before = treeOf(join(at.home.path, 'sessions'));
    const { code, stdout } = await far(at, 'apply', inFile(forged(plan, ...decisions)), '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ done: 0, skipped: 4 })]);
    expect(treeOf(join(at.home.path, 'sessions'))).toEqual(before);
    expect((await at.home.sessions.get('two'))?.messageCount).toBe(1);
    expect(statSync(join(at.home.path, 'state.db')).size).toBe(size);
  });

  it('is refused when it is for another home, was changed, or is too large for one request', async () => {
    const at = await served();
    const other = await served();
    const plan = await at.home.plan(ALL);
    const foreign = await far(other, 'apply', inFile(plan), '--yes');
    expect([foreign.code, foreign.stderr]).toEqual([5, expect.stringContaining('made for another home')]);
    const document = { ...planDocument(plan), id: '0'.repeat(16) };
    const changed = await at.ask('/api/plans/apply', json('POST', document));
    expect([changed.status, await changed.text()]).toEqual([409, expect.stringContaining('was changed since')]);
    const many = Array.from({ length: 100_000 }, (_, n) => ({
      ...removalOf('one', plan),
      item: { kind: 'session' as const, id: `${n}-long-name` },
    }));
    const large = await far(at, 'apply', inFile(forged(plan, ...many)), '--yes');
    expect([large.code, large.stderr]).toEqual([5, expect.stringContaining('too large to be sent')]);
    expect(await at.home.sessions.get('one')).toMatchObject({ messageCount: 1 });
  });
});
