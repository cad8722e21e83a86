import { truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAUDE_NOW, claudeHome, claudeId, linesText, LONG_AGO, treeOf } from '../../../test/support/claude-home.ts';
import { claudeLines } from '../../../test/support/claude-lines.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS } from '../../core/time.ts';
import type { FoundSession } from '../../keeping/file-home/file-agent.ts';
import { claudeAgent } from './claude-agent.ts';
import { claudeRetention } from './claude-retention.ts';

const ONE = claudeId('1');

async function found(home: string, id = ONE): Promise<FoundSession> {
  const { sessions } = await claudeAgent.sort(treeOf(home), CLAUDE_NOW);
  const session = sessions.find((each) => each.id === id);
  if (session === undefined) throw new Error(`no session ${id}`);
  return session;
}

describe('what can be said of a session of Claude Code', () => {
  it('is read from both of its ends, however long it is', async () => {
    const at = claudeHome(tempDir());
    const said = claudeLines(ONE);
    const begin = linesText([said.user('First prompt'), said.text('m1', 'Hi.')]);
    const end = linesText([said.text('m2', 'Bye.'), { type: 'custom-title', customTitle: 'A title', sessionId: ONE }]);
    at.session(ONE, { text: begin });
    const path = join(at.home, `projects/-work-demo/${ONE}.jsonl`);
    truncateSync(path, 2 ** 31);
    writeFileSync(path, `\n${end}`, { flag: 'a' });
    expect(await claudeAgent.describe(at.home, await found(at.home))).toEqual({
      id: ONE,
      title: 'A title',
      workdir: '/work/demo',
      model: 'claude-sonnet-4-5',
      startedAt: Date.parse('2026-11-15T07:00:00Z'),
      lastActiveAt: Date.parse('2026-11-15T07:02:00Z'),
    });
  });

  it('has the folder that the session names, and never the one that its own is called after', async () => {
    const at = claudeHome(tempDir());
    at.session(ONE, { folder: '-somewhere-else' });
    expect(await claudeAgent.describe(at.home, await found(at.home))).toMatchObject({ workdir: '/work/demo' });
  });

  it('has the time of its file where the end tells none, as in the middle of an image', async () => {
    const at = claudeHome(tempDir());
    const said = claudeLines(ONE);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(300_000) } };
    at.session(ONE, { lines: [said.user('Look'), said.user([image])], at: LONG_AGO + 1000 });
    expect(await claudeAgent.describe(at.home, await found(at.home))).toMatchObject({ lastActiveAt: LONG_AGO + 1000 });
  });

  it('leaves a line out that is half written', async () => {
    const at = claudeHome(tempDir());
    const lines = linesText([claudeLines(ONE).user('Hello')]);
    at.session(ONE, { text: `${lines}{"type":"assistant","timestamp":"2026-11-15T09:00:00Z","mes` });
    const facts = await claudeAgent.describe(at.home, await found(at.home));
    expect(facts).toMatchObject({ title: 'Hello', lastActiveAt: Date.parse('2026-11-15T07:00:00Z') });
  });

  it('prefers the title that a person gave, wherever that stands', async () => {
    const at = claudeHome(tempDir());
    at.session(ONE, {
      stores: ['title'],
      lines: [claudeLines(ONE).user('Hello'), { type: 'ai-title', aiTitle: 'Greeting', sessionId: ONE }],
    });
    expect(await claudeAgent.describe(at.home, await found(at.home))).toMatchObject({ title: 'Renamed' });
  });
});

describe('the guard of a home of Claude Code', () => {
  it('lets go of what is not in use, and keeps what came into use since it was looked at', async () => {
    const at = claudeHome(tempDir());
    at.session(ONE);
    const session = await found(at.home);
    const obstacle = async () => {
      using guard = await claudeAgent.guard(at.home, CLAUDE_NOW);
      return guard.obstacle(session);
    };
    expect(await obstacle()).toBeUndefined();
    const path = join(at.home, session.transcripts[0]?.path ?? '');
    utimesSync(path, CLAUDE_NOW / 1000, CLAUDE_NOW / 1000);
    expect(await obstacle()).toBe('A process is using it.');
    utimesSync(path, LONG_AGO / 1000, LONG_AGO / 1000);
    at.register(ONE);
    expect(await obstacle()).toBe('Claude Code has it open.');
    at.write('sessions/7.json', '');
    expect(await obstacle()).toMatch(/^sessions\/7\.json cannot be understood/);
  });
});

describe('what Claude Code deletes by itself', () => {
  const homeWith = (settings?: string) => {
    const at = claudeHome(tempDir());
    at.session(ONE, { subagents: { 'agent-a1': [claudeLines(ONE).user('Hi')] } });
    if (settings !== undefined) at.write('settings.json', settings);
    // What a subagent says later keeps nothing.
    const path = `projects/-work-demo/${ONE}/subagents/agent-a1.jsonl`;
    utimesSync(join(at.home, path), CLAUDE_NOW / 1000, CLAUDE_NOW / 1000);
    return at;
  };
  const NOWHERE = '/nowhere/at/all';

  it.each([
    [undefined, 'cleanupPeriodDays 30', 30],
    ['{"cleanupPeriodDays":7}', 'cleanupPeriodDays 7', 7],
    ['\uFEFF{"model":"opus"}', 'cleanupPeriodDays 30', 30],
  ])('is known with its date where the settings are %j', async (settings, setting, days) => {
    const { home } = homeWith(settings);
    const own = claudeRetention(home, NOWHERE);
    expect(own.setting).toBe(setting);
    expect(own.deletesAt(await found(home), [])).toBe(LONG_AGO + days * DAY_MS);
  });

  it.each(['{"cleanupPeriodDays":0}', '{"cleanupPeriodDays":"7"}', '{"cleanupPeriodDays":1.5}', '{"cleanup', '[]'])(
    'is nothing where the settings are %j',
    async (settings) => {
      const { home } = homeWith(settings);
      const own = claudeRetention(home, NOWHERE);
      expect(own.setting).toMatch(/so nothing is deleted$/);
      expect(own.deletesAt(await found(home), [])).toBeUndefined();
    },
  );

  it('follows what is set for the whole machine before what a user sets', async () => {
    const { home } = homeWith('{"cleanupPeriodDays":7}');
    const managed = claudeHome(tempDir());
    managed.write('managed-settings.json', '{"cleanupPeriodDays":90}');
    expect(claudeRetention(home, managed.home)).toMatchObject({
      setting: 'cleanupPeriodDays 90',
      from: join(managed.home, 'managed-settings.json'),
    });
    managed.write('managed-settings.d/10-more.json', '{"cleanupPeriodDays":60}');
    expect(claudeRetention(home, managed.home).setting).toBe('cleanupPeriodDays 60');
  });
});
