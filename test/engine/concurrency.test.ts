import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/platform/machine/system-clock.ts';
import { collect } from '../support/collect.ts';
import { type EngineHome, openEngineHome } from '../support/engine-home.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';

const SECONDS = process.env['COPPICE_TORTURE'] === undefined ? 5 : 60;
const SCRIPT = fileURLToPath(new URL('../support/engine-churn.js', import.meta.url));

const COUNTS = ['created', 'resumed', 'done', 'archived', 'undone', 'read'] as const;

type Said = { readonly acknowledged: Readonly<Record<string, readonly string[]>> } & Readonly<
  Record<(typeof COUNTS)[number], number>
>;

describe('two writers, two maintainers, one who undoes and a reader at once', () => {
  it('lose nothing that was acknowledged, and only one changes the home at a time', async () => {
    const path = join(tempDirInMemory(), 'home');
    await using at = await openEngineHome(path, { clock: systemClock });
    const said = await Promise.all([
      churn('writer', path, 'w1'),
      churn('writer', path, 'w2'),
      churn('maintainer', path, 'm1'),
      churn('maintainer', path, 'm2'),
      churn('undoer', path, 'u'),
      churn('reader', path, 'r'),
    ]);
    const sum = (name: (typeof COUNTS)[number]) => said.reduce((total, each) => total + each[name], 0);
    for (const name of COUNTS) expect(sum(name), name).toBeGreaterThan(0);
    expect(await overlappingRuns(at)).toEqual([]);
    expect(await problemsOf(at)).toEqual([]);
    await undoEverything(at);
    expect(await problemsOf(at)).toEqual([]);
    const acknowledged = said.flatMap((each) => Object.entries(each.acknowledged));
    for (const [id, contents] of acknowledged) {
      const session = await at.home.sessions.open(id);
      expect((await collect(session.messages())).map(({ content }) => content)).toEqual(contents);
    }
    expect(await collect(at.home.sessions.list())).toHaveLength(acknowledged.length);
  }, 600_000);
});

async function churn(role: string, path: string, name: string): Promise<Said> {
  const child = spawn(process.execPath, [SCRIPT, role, path, name, String(SECONDS)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  expect({ role, code, errors }).toEqual({ role, code: 0, errors: '' });
  return JSON.parse(output) as Said;
}

/** Runs happen under the lock, so no two may overlap in time. */
async function overlappingRuns({ retention }: EngineHome): Promise<string[]> {
  const runs = (await collect(retention.runs())).toSorted((a, b) => a.startedAt - b.startedAt);
  return runs.flatMap(({ id, startedAt }, index) => {
    const before = runs[index - 1];
    return before !== undefined && (before.finishedAt ?? Infinity) > startedAt ? [`${before.id} and ${id}`] : [];
  });
}

async function problemsOf({ home }: EngineHome): Promise<string[]> {
  return (await collect(home.check())).flatMap(({ problems }) => problems.map(({ message }) => message));
}

/**
 * Newest first, so that whatever took files from a session before it was removed finds the session again. Files alone may stay in
 * the trash: a session that went on has begun others.
 */
async function undoEverything({ retention }: EngineHome): Promise<void> {
  for (const { id } of await collect(retention.runs())) {
    const skipped: (string | undefined)[] = [];
    await retention.undo(id, { onOutcome: ({ status, detail }) => status === 'skipped' && skipped.push(detail) });
    expect(new Set(skipped), id).toEqual(
      new Set(skipped.length === 0 ? [] : ['Something else stands where its files were.']),
    );
  }
  for (const { id } of await collect(retention.runs()))
    for await (const { item, action, state } of retention.items(id))
      if (state === 'trashed') expect({ item, action }).toEqual({ item, action: 'drop-files' });
}
