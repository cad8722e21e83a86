import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CLAUDE_NOW,
  CLAUDE_STORES,
  claudeHome,
  claudeId,
  LONG_AGO,
  treeOf,
} from '../../../test/support/claude-home.ts';
import { claudeLines } from '../../../test/support/claude-lines.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import type { FoundSession, SortedHome } from '../../keeping/file-home/file-agent.ts';
import { sortClaude } from './sort-claude.ts';

const [ONE, TWO, THREE] = ['1', '2', '3'].map(claudeId) as [string, string, string];

function sorted(home: string): SortedHome {
  return sortClaude(treeOf(home), CLAUDE_NOW);
}

function byId({ sessions }: SortedHome, id: string): FoundSession | undefined {
  return sessions.find((session) => session.id === id);
}

/** The paths of everything in a sorted home, each as often as it is somewhere. */
function pathsIn({ sessions, strays, others }: SortedHome): string[] {
  const files = [
    ...sessions.flatMap(({ transcripts, parts }) => [...transcripts, ...parts.flatMap((part) => part.files)]),
    ...strays.flatMap((stray) => stray.files),
    ...others.flatMap((other) => other.files),
  ];
  return files.map(({ path }) => path).toSorted();
}

const othersOf = ({ others }: SortedHome, name: string): string[] =>
  others.filter((other) => other.name === name).flatMap(({ files }) => files.map(({ path }) => path));
const strayPaths = ({ strays }: SortedHome): string[] => strays.map(({ path }) => path);

describe('a sorted home of Claude Code', () => {
  it('has everything of a session together, and every file in exactly one place', () => {
    const at = claudeHome(tempDir());
    at.session(ONE, { stores: CLAUDE_STORES, subagents: { 'agent-a1': [claudeLines(ONE).user('Count.')] } });
    at.session(TWO, { stores: CLAUDE_STORES, folder: '-elsewhere' });
    for (const path of OTHERS) at.write(path, 'x');
    const home = sorted(at.home);
    const one = byId(home, ONE);
    expect(one?.transcripts.map(({ path }) => path)).toEqual([
      `projects/-work-demo/${ONE}.jsonl`,
      `projects/-work-demo/${ONE}/subagents/agent-a1.jsonl`,
    ]);
    expect(one?.parts.map(({ path, sparable, secret }) => [path, sparable, secret === true]).toSorted()).toEqual([
      [`debug/${ONE}.txt`, true, false],
      [`file-history/${ONE}`, false, false],
      [`projects/-work-demo/${ONE}/custom-title.json`, false, false],
      [`projects/-work-demo/${ONE}/subagents/agent-a1.meta.json`, false, false],
      [`projects/-work-demo/${ONE}/tool-results`, true, false],
      [`session-env/${ONE}`, false, true],
      [`tasks/${ONE}`, false, false],
      [`todos/${ONE}-agent-${ONE}.json`, false, false],
    ]);
    expect(byId(home, TWO)?.parts).toHaveLength(CLAUDE_STORES.length);
    expect(pathsIn(home)).toEqual([...treeOf(at.home).files.keys()].toSorted());
    expect(home).toMatchObject({ strays: [], problems: [], doubts: [] });
  });

  it('never has among its sessions and strays what people and Claude Code need', () => {
    const at = claudeHome(tempDir());
    at.session(ONE);
    for (const path of OTHERS) at.write(path, 'x');
    const home = sorted(at.home);
    expect(home.others.flatMap(({ files }) => files.map(({ path }) => path)).toSorted()).toEqual(OTHERS.toSorted());
    expect(othersOf(home, 'unknown')).toEqual(['projects/-work-demo/notes.jsonl', 'surprise.bin']);
    expect(othersOf(home, 'memory')).toEqual(['projects/-work-demo/memory/MEMORY.md']);
    expect(home.others.filter(({ unbounded }) => unbounded).map(({ name }) => name)).toEqual(['prompt-history']);
  });

  it('tells ids apart that begin alike', () => {
    const at = claudeHome(tempDir());
    const alike = `${ONE.slice(0, -1)}2`;
    at.session(ONE, { stores: ['history', 'todos'] });
    at.session(alike, { stores: ['history'] });
    expect(byId(sorted(at.home), ONE)?.parts).toHaveLength(2);
    expect(byId(sorted(at.home), alike)?.parts.map(({ path }) => path)).toEqual([`file-history/${alike}`]);
  });

  it('takes a session in two folders for one', () => {
    const at = claudeHome(tempDir());
    at.session(ONE, { stores: ['title'] });
    at.session(ONE, { folder: '-moved', at: LONG_AGO + DAY_MS });
    const { sessions } = sorted(at.home);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.transcripts.map(({ path }) => path)).toEqual([
      `projects/-work-demo/${ONE}.jsonl`,
      `projects/-moved/${ONE}.jsonl`,
    ]);
  });

  it('finds subagents of earlier versions beside the sessions, and of sessions that are gone', () => {
    const at = claudeHome(tempDir());
    at.session(ONE);
    const said = (id: string) => `${JSON.stringify(claudeLines(id).user('Count.', { isSidechain: true }))}\n`;
    at.write('projects/-work-demo/agent-b1.jsonl', said(ONE));
    at.write('projects/-work-demo/agent-b2.jsonl', said(TWO));
    const home = sorted(at.home);
    expect(byId(home, ONE)?.transcripts).toHaveLength(2);
    expect(byId(home, `${TWO}.agent-b2`)).toMatchObject({ parentId: TWO, active: false });
  });

  it('takes a session for in use that was written to a moment ago, and for a day where no list is kept', () => {
    const at = claudeHome(tempDir());
    at.session(ONE, { at: CLAUDE_NOW - 2 * HOUR_MS });
    at.session(TWO, { at: CLAUDE_NOW - 1 });
    const active = () => sorted(at.home).sessions.map((session) => session.active);
    expect(active()).toEqual([false, true]);
    rmSync(join(at.home, 'sessions'), { recursive: true });
    expect(active()).toEqual([true, true]);
  });

  it('takes a session for in use that a program has open, however old it is', () => {
    const at = claudeHome(tempDir());
    at.session(ONE);
    at.session(TWO);
    at.register(TWO);
    const home = sorted(at.home);
    expect([byId(home, ONE)?.active, byId(home, TWO)?.active]).toEqual([false, true]);
  });

  it('decides nothing where it cannot be read what is open', () => {
    const at = claudeHome(tempDir());
    at.session(ONE);
    at.write(`file-history/${TWO}/a@v1`, 'x');
    at.write('sessions/7.json', '{"pid":7,');
    expect(sorted(at.home)).toMatchObject({
      doubts: ['activity-unknown'],
      problems: [{ kind: 'activity-unknown', subject: 'sessions/7.json' }],
      strays: [],
    });
  });
});

describe('relations between sessions of Claude Code', () => {
  const reference = (parent: string) => ({ type: 'fork-context-ref', agentId: 'a1', parentSessionId: parent });

  it('hold a session in which the beginning of another is told', () => {
    const at = claudeHome(tempDir());
    at.session(ONE);
    at.session(TWO, { subagents: { 'agent-a1': [reference(ONE)] } });
    at.session(THREE, { subagents: { 'agent-a2': [reference(THREE)] } });
    const home = sorted(at.home);
    expect(byId(home, ONE)?.hold).toEqual({ kind: 'referenced', by: TWO });
    expect(byId(home, TWO)).not.toHaveProperty('hold');
    // What refers to its own session goes with it.
    expect(byId(home, THREE)).not.toHaveProperty('hold');
  });

  it('hold one that a version wrote which is not known yet', () => {
    const at = claudeHome(tempDir());
    at.session(ONE, { lines: [{ ...claudeLines(ONE).user('Hi'), version: '3.0.0' }] });
    expect(byId(sorted(at.home), ONE)?.hold).toEqual({ kind: 'report-only' });
  });

  it('are found by the first prompt of a copy, which says nothing of where it is from', () => {
    const at = claudeHome(tempDir());
    const prompt = claudeLines(ONE).user('Change the greeting', { parentUuid: null });
    const queued = (timestamp: string) => ({ type: 'queue-operation', operation: 'enqueue', timestamp });
    at.session(ONE, { lines: [queued('2026-11-15T06:59:00Z'), prompt] });
    at.session(TWO, { lines: [queued('2026-11-15T09:00:00Z'), { ...prompt, sessionId: TWO }] });
    const home = sorted(at.home);
    expect(byId(home, ONE)).not.toHaveProperty('parentId');
    expect(byId(home, TWO)?.parentId).toBe(ONE);
  });

  it('are read where a copy names its original', () => {
    const at = claudeHome(tempDir());
    at.session(TWO, { lines: [claudeLines(TWO).user('Hi', { forkedFrom: { sessionId: ONE, messageUuid: 'u' } })] });
    expect(byId(sorted(at.home), TWO)?.parentId).toBe(ONE);
  });
});

describe('what Claude Code left behind', () => {
  const LEFT = [`debug/${TWO}.txt`, `file-history/${TWO}`, `tasks/${TWO}`, `session-env/${TWO}`];
  const withLeft = () => {
    const at = claudeHome(tempDir());
    at.session(ONE, { stores: ['history'] });
    for (const path of LEFT) at.write(path.endsWith('.txt') ? path : `${path}/1`, 'x');
    return at;
  };

  it('is an orphan where its session is nowhere', () => {
    const at = withLeft();
    at.write(`projects/-work-demo/${TWO}/tool-results/b.txt`, 'x');
    const home = sorted(at.home);
    expect(strayPaths(home).toSorted()).toEqual([...LEFT, `projects/-work-demo/${TWO}/tool-results`].toSorted());
    expect(home.strays.every(({ kind }) => kind === 'orphan')).toBe(true);
  });

  it.each([
    ['a link is in place of a project', ({ home }) => symlinkSync('/', join(home, 'projects/linked'))],
    ['a running program has the session', (at) => at.register(TWO)],
    ['the projects are not there', ({ home }) => rmSync(join(home, 'projects'), { recursive: true })],
  ] satisfies [string, (at: ReturnType<typeof claudeHome>) => void][])('is none where %s', (_, spoil) => {
    const at = withLeft();
    spoil(at);
    expect(strayPaths(sorted(at.home))).toEqual([]);
    expect(othersOf(sorted(at.home), 'cache')).toEqual(expect.arrayContaining([`file-history/${TWO}/1`]));
  });

  it('is none where a copy of the session has the same files', () => {
    const at = withLeft();
    at.share(`file-history/${TWO}/1`, `file-history/${ONE}/shared`);
    expect(strayPaths(sorted(at.home))).not.toContain(`file-history/${TWO}`);
  });

  it('is none where a part of the projects cannot be looked at, or somebody wrote to it within a day', () => {
    const at = withLeft();
    const tree = treeOf(at.home);
    expect(sortClaude({ ...tree, unreadable: ['projects/-closed'] }, CLAUDE_NOW).strays).toEqual([]);
    at.write(`file-history/${TWO}/2`, 'x', CLAUDE_NOW - HOUR_MS);
    expect(strayPaths(sorted(at.home))).not.toContain(`file-history/${TWO}`);
  });

  it('is debris where a write was cut short a day ago, beside what Claude Code alone writes', () => {
    const at = claudeHome(tempDir());
    at.write('history.jsonl.tmp.4711.1795052827635', 'x');
    at.write('settings.json.tmp.4711.1795052827635', 'x', CLAUDE_NOW - HOUR_MS);
    at.write('skills/mine/draft.tmp.1.2', 'x');
    expect(sorted(at.home).strays).toMatchObject([{ kind: 'debris', path: 'history.jsonl.tmp.4711.1795052827635' }]);
  });

  it('is told of where a link is in place of a project', () => {
    const at = claudeHome(tempDir());
    symlinkSync('/', join(at.home, 'projects/linked'));
    expect(sorted(at.home).problems).toMatchObject([{ kind: 'link', subject: 'projects/linked' }]);
  });
});

describe('a session of Claude Code that cannot be read', () => {
  it.each([
    ['nothing that it writes', 'PK\u0003\u0004 no transcript\n'],
    ['a first line that was cut off', '{"type":"user","mess'],
    ['other JSON', '[1]\n{"a":1}\n'],
  ])('holds %s, and stays', (_, text) => {
    const at = claudeHome(tempDir());
    at.session(ONE, { text });
    const home = sorted(at.home);
    expect(byId(home, ONE)?.unreadable).toBe(true);
    expect(home.problems).toMatchObject([{ kind: 'unreadable', subject: `projects/-work-demo/${ONE}.jsonl` }]);
  });

  it('is one whose file cannot be opened, or that of its subagent', () => {
    const at = claudeHome(tempDir());
    at.session(ONE, { subagents: { 'agent-a1': [claudeLines(ONE).user('Hi')] } });
    const tree = treeOf(at.home);
    rmSync(join(at.home, `projects/-work-demo/${ONE}/subagents/agent-a1.jsonl`));
    expect(byId(sortClaude(tree, CLAUDE_NOW), ONE)?.unreadable).toBe(true);
  });

  it('is none that is empty, that is torn further down, or that begins with a line longer than what is looked at', () => {
    const at = claudeHome(tempDir());
    const line = JSON.stringify(claudeLines(ONE).user('x'.repeat(100_000)));
    for (const [digit, text] of [
      ['1', ''],
      ['2', `broken\n${line}\n`],
      ['3', line],
    ] as const)
      at.session(claudeId(digit), { text });
    const home = sorted(at.home);
    expect(home.sessions.map(({ unreadable }) => unreadable)).toEqual([undefined, undefined, undefined]);
    expect(home.problems).toEqual([]);
  });
});

const OTHERS = [
  '.claude.json',
  '.credentials.json',
  '.last-cleanup',
  'CLAUDE.md',
  'backups/.claude.json.backup.1',
  'history.jsonl',
  'paste-cache/0123456789abcdef.txt',
  'plans/a-plan.md',
  'plugins/store/one.json',
  'projects/-work-demo/memory/MEMORY.md',
  'projects/-work-demo/notes.jsonl',
  'projects/-work-demo/sessions-index.json',
  'sessions/7.0123456789abcdef.key',
  'settings.json',
  'shell-snapshots/snapshot-bash-1-a.sh',
  'skills/mine/SKILL.md',
  'stats-cache.json',
  'surprise.bin',
  'tasks/my-list/1.json',
];
