import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { openHome } from '../../src/index.ts';
import { captureIo } from '../capture-io.ts';
import { collect } from '../support/collect.ts';
import { treeState } from '../support/hermes-tree.ts';
import { DAY_MS, listed, oldHomes, type PlanJson } from './old-home.ts';
import { coppice, type Finished } from './run-coppice.ts';

const { copyHome } = oldHomes();

const WARNING =
  /config\.yaml:2:3: sessions\.retension_days: There is no such key\. Did you mean sessions\.retention_days\?/;
const ADVICE = 'Nothing is removed or changed until that is put right. See: coppice config check\n';

function homeWith(config: string): string {
  const home = copyHome();
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  return home;
}

const typo = () => homeWith('sessions:\n  retension_days: 365\n  trivial_max: 2\n');
const wrongValue = () => homeWith('sessions:\n  retention_days: 0\n');

/** The same command line within this process: many are tried here. */
async function said(home: string, args: readonly string[]): Promise<Finished> {
  const { io, out, err } = captureIo({ now: Date.now(), env: { COPPICE_HOME: home } });
  return { code: await main([...args], io), stdout: out(), stderr: err() };
}

const RECORDS = [
  ['sessions', 'list'],
  ['sessions', 'show', 's8'],
  ['sessions', 'search', 'needle'],
  ['sessions', 'tail', 's8'],
  ['sessions', 'export', 's8'],
  ['sessions', 'routes'],
  ['ledger'],
  ['runs'],
  ['trash', 'list'],
  ['checkpoints', 'list', '--all'],
  ['budget'],
];
const RULES = [
  ['status'],
  ['plan'],
  ['explain', 's8'],
  ['sessions', 'stats'],
  ['sessions', 'prune', '--older-than', '90', '--dry-run'],
  ['sessions', 'gc', '--dry-run'],
  ['checkpoints', 'status'],
  ['cron', 'list'],
  ['config', 'show'],
  ['config', 'show', '--effective'],
  ['doctor'],
];
const CHANGES = [
  ['sessions', 'prune', '--older-than', '90', '--yes'],
  ['sessions', 'gc', '--yes'],
  ['sessions', 'delete', 's8', '--yes'],
  ['sessions', 'archive', '--older-than', '90', '--yes'],
  ['sessions', 'pin', 's8'],
  ['sessions', 'rename', 's8', 'x'],
  ['sessions', 'end', 'open'],
  ['sessions', 'resolve', 'telegram:1'],
  ['trash', 'empty', '--all', '--yes'],
  ['checkpoints', 'prune', '--yes'],
  ['maintain'],
  ['serve', '--port', '0'],
  ['run', '--', 'true'],
  ['doctor', '--repair'],
];

describe('an unknown key in the configuration', () => {
  it('is a warning to every command that only looks, and the rest of the file is in force', async () => {
    const home = typo();
    for (const args of [...RECORDS, ...RULES]) {
      const { code, stdout, stderr } = await said(home, args);
      expect({ args, code }).toEqual({ args, code: 0 });
      expect(stdout).not.toBe('');
      expect(stderr).toMatch(WARNING);
      expect(stderr).toContain(ADVICE);
    }
    const { decisions } = JSON.parse((await said(home, ['--json', 'plan'])).stdout) as PlanJson;
    // Three messages are not trivial where trivial_max is two.
    expect(decisions.find(({ item }) => item.id === 's41')?.reason).not.toBe('trivial');
    expect(decisions.find(({ item }) => item.id === 's40')?.reason).toBe('empty');
    expect((await coppice(home, ['status'])).stdout).toMatch(
      /^Note: Nothing is removed until this is put right, .*retension_days/,
    );
    expect((await coppice(home, ['config', 'check'])).code).toBe(2);
  });

  it('stops every command that changes anything, before it changes anything', async () => {
    const home = typo();
    await coppice(home, ['sessions', 'list']);
    // SQLite makes its side files also for who looks.
    const state = () => treeState(home).filter((line) => !/^( |state\.db-(wal|shm) )/.test(line));
    const before = state();
    for (const args of CHANGES) {
      const { code, stdout, stderr } = await said(home, args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).toMatch(WARNING);
    }
    expect(state()).toEqual(before);
  });

  it('makes plans that cannot be applied, not even once it is put right', async () => {
    const home = typo();
    const plan = await coppice(home, ['plan', '--json']);
    const file = join(home, '..', 'plan-of-typo.json');
    writeFileSync(file, plan.stdout);
    const { id, decisions } = JSON.parse(plan.stdout) as PlanJson;
    // The typo says 365 days, and the default of 90 would take these.
    expect(decisions.filter(({ reason }) => reason === 'retention').length).toBeGreaterThan(0);
    expect((await coppice(home, ['plan'])).stdout).not.toContain('coppice apply');
    writeFileSync(join(home, 'config.yaml'), 'sessions:\n  retention_days: 365\n', { mode: 0o600 });
    const applied = await coppice(home, ['apply', file, '--yes']);
    expect(applied).toMatchObject({ code: 5, stdout: '' });
    expect(applied.stderr).toContain('only to look at');
    expect((await coppice(home, ['apply', id, '--yes'])).code).not.toBe(0);
    expect(await listed(home)).toHaveLength(61);
  });

  it('stays an error where it was typed with the command', async () => {
    const { code, stderr } = await coppice(copyHome(), ['plan', '--set', 'sessions.retension_days=3']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean sessions.retention_days?');
  });
});

describe('a wrong value in the configuration', () => {
  it('stops what depends on the rules, and nothing that shows what is there', async () => {
    const home = wrongValue();
    for (const args of RECORDS) {
      const { code, stderr } = await said(home, args);
      expect({ args, code }).toEqual({ args, code: 0 });
      expect(stderr).toContain('sessions.retention_days');
    }
    for (const args of [...RULES, ...CHANGES]) {
      expect({ args, code: (await said(home, args)).code }).toEqual({ args, code: 2 });
    }
    writeFileSync(join(home, 'config.yaml'), 'sessions: [', { mode: 0o600 });
    expect(await coppice(home, ['sessions', 'list'])).toMatchObject({ code: 0 });
  });
});

describe('openHome', () => {
  it('refuses a home whose configuration has a mistake, unless it is opened for reading', async () => {
    await expect(openHome({ path: typo(), env: {} })).rejects.toMatchObject({ code: 'bad-config' });
    await expect(openHome({ path: wrongValue(), env: {}, reading: 'rules' })).rejects.toMatchObject({
      code: 'bad-config',
    });
  });

  it('opened for reading shows everything and refuses every change', async () => {
    const path = typo();
    const before = await openHome({ path: copyHome(), env: {} });
    const sessions = await collect(before.sessions.list());
    await before.close();
    await using home = await openHome({ path, env: {}, reading: 'rules' });
    expect(home.configIssues.map(({ key }) => key)).toEqual(['sessions.retension_days']);
    expect(await collect(home.sessions.list())).toEqual(sessions);
    expect((await home.sessions.search({ text: 'needle' })).length).toBeGreaterThan(0);
    const plan = await home.plan();
    expect([plan.onlyShown, plan.notes.length > 0]).toEqual([true, true]);
    const { onlyShown: _, ...applicable } = plan;
    const session = await home.sessions.open('s8');
    const retention = await home.retention();
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      create: () => home.sessions.create({ source: 'cli' }),
      append: () => session.append({ role: 'user', content: 'x' }),
      usage: () => session.recordUsage({ model: 'm', inputTokens: 1 }),
      dump: () => session.dump({ method: 'POST', url: 'https://example.com' }),
      pin: () => session.pin(),
      end: () => session.end('done'),
      apply: () => home.apply(applicable),
      undo: () => retention.settle(),
      maintain: () => retention.maintain({ now: true }),
      hold: () => retention.hold(true),
      take: () => home.checkpoints.take({ workdir: path }),
      resolve: () => home.gateway.resolve({ key: 'telegram:1', source: 'telegram' }),
      run: () => home.gateway.run({ command: ['true'], source: 'cli' } as never),
      import: () => home.sessions.imports.begin({ source: 'cli' } as never),
      cron: async () => (await home.scheduler()).add('x', { schedule: '0 7 * * *', command: ['true'] }),
      repair: () => collect(home.repair([])),
    };
    for (const [name, change] of Object.entries(changes)) {
      const met = await change().then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
      expect([name, met]).toEqual([name, 'bad-config']);
    }
    expect(await home.maintainInBackground()).toMatchObject({ status: 'off' });
    expect(await collect(home.sessions.list())).toEqual(sessions);
  });

  it('reads rules as written once nothing is wrong, and changes what it is asked to', async () => {
    await using home = await openHome({ path: copyHome(), env: {}, reading: 'rules' });
    expect(home.configIssues).toEqual([]);
    expect((await home.sessions.create({ source: 'cli', startedAt: Date.now() - DAY_MS })).id).not.toBe('');
  });
});
