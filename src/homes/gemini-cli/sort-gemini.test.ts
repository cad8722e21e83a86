import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../test/support/claude-home.ts';
import { FILE_NOW, jsonLines, putFile } from '../../../test/support/file-home-scene.ts';
import {
  chatPath,
  geminiHeader,
  geminiId,
  geminiTurn,
  type GeminiSpec,
  putGemini,
  putStores,
} from '../../../test/support/gemini-home.ts';
import { geminiScene } from '../../../test/support/gemini-scene.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS } from '../../core/time.ts';
import type { SortedHome } from '../../keeping/file-home/file-agent.ts';
import { geminiAgent } from './gemini-agent.ts';

const ONE: GeminiSpec = { id: geminiId('1') };
const TWO: GeminiSpec = { id: geminiId('2'), daysAgo: 41 };

const sorted = (home: string): Promise<SortedHome> => geminiAgent().sort(treeOf(home), FILE_NOW);

const partsOf = ({ sessions }: SortedHome, id: string) =>
  sessions.find((session) => session.id === id)?.parts.map(({ path, sparable }) => [path, sparable]);

describe('a sorted home of Gemini CLI', () => {
  it('has every file in exactly one place', async () => {
    const home = join(tempDir(), 'home');
    geminiScene.build(home);
    const { sessions, strays, others } = await sorted(home);
    const files = [
      ...sessions.flatMap(({ transcripts, parts }) => [...transcripts, ...parts.flatMap((part) => part.files)]),
      ...strays.flatMap((stray) => stray.files),
      ...others.flatMap((other) => other.files),
    ];
    expect(files.map(({ path }) => path).toSorted()).toEqual([...treeOf(home).files.keys()].toSorted());
    expect(strays.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual([
      `debris projects.json.${geminiId('f')}.tmp`,
      `orphan tmp/gone/tool-outputs/session-${geminiId('10')}`,
    ]);
    const unknown = others.find(({ name }) => name === 'unknown')?.files.map(({ path }) => path);
    expect(unknown).toEqual(['antigravity/something.bin', 'tmp/greeter/chats/notes.txt']);
  });

  it('puts together what has the whole id of a session, and nothing of one that begins alike', async () => {
    const home = tempDir();
    for (const spec of [ONE, TWO]) putGemini(home, spec);
    putStores(home, TWO);
    const found = await sorted(home);
    expect(partsOf(found, ONE.id)).toEqual([]);
    const below = 'tmp/greeter';
    expect(partsOf(found, TWO.id)?.toSorted()).toEqual([
      [`${below}/${TWO.id}`, false],
      [`${below}/logs/session-${TWO.id}.jsonl`, true],
      [`${below}/logs/session-${geminiId('f')}.jsonl`, true],
      [`${below}/tool-outputs/session-${TWO.id}`, true],
    ]);
    expect(found.sessions.find(({ id }) => id === TWO.id)?.transcripts.map(({ path }) => path)).toEqual([
      chatPath(TWO),
      `${below}/chats/${TWO.id}/${geminiId('f')}.jsonl`,
    ]);
  });

  it('goes by the id in a file, whatever the file is called', async () => {
    const home = tempDir();
    putFile(
      home,
      'tmp/greeter/chats/session-1794729076878-04544808.jsonl',
      jsonLines([geminiHeader(ONE)]),
      FILE_NOW - DAY_MS,
    );
    // Its first line was lost, and a later start wrote another one.
    const again = [...geminiTurn(TWO.id, 'Hello', FILE_NOW - 9 * DAY_MS), geminiHeader(TWO)];
    putFile(
      home,
      'tmp/greeter/chats/session-x.jsonl',
      `{"sessionId":"01a1d\n${jsonLines(again)}`,
      FILE_NOW - 8 * DAY_MS,
    );
    const { sessions } = await sorted(home);
    expect(sessions.map(({ id }) => id).toSorted()).toEqual([ONE.id, TWO.id]);
  });

  it('knows a session by both ends of a chat, however long it is', async () => {
    const home = tempDir();
    const path = join(home, putGemini(home, { ...ONE, prompts: ['Look', 'x'.repeat(300_000)], writtenDaysAgo: 40 }));
    const { sessions } = await sorted(home);
    expect(sessions).toMatchObject([{ id: ONE.id, active: false }]);
    appendFileSync(path, jsonLines([{ $set: { lastUpdated: new Date(FILE_NOW).toISOString() } }]));
    expect((await sorted(home)).sessions).toMatchObject([{ id: ONE.id, active: true }]);
  });

  it('calls nothing left behind while a chat does not say whose it is, or is behind a link', async () => {
    for (const trap of ['nameless', 'link'] as const) {
      const home = tempDir();
      putGemini(home, ONE);
      putFile(home, `tmp/greeter/tool-outputs/session-${geminiId('9')}/1.txt`, 'x', FILE_NOW - 9 * DAY_MS);
      expect((await sorted(home)).strays).toHaveLength(1);
      if (trap === 'link') symlinkSync('/nowhere', join(home, 'tmp/greeter/chats/more'));
      else putFile(home, 'tmp/greeter/chats/session-x.jsonl', 'no JSON', FILE_NOW - 9 * DAY_MS);
      const { strays, others } = await sorted(home);
      expect(strays).toEqual([]);
      expect(others.find(({ name }) => name === 'left-over')?.files).toHaveLength(1);
    }
  });
});

describe.runIf(process.platform === 'linux')('a project in which Gemini CLI is at work', () => {
  it.each(['its own path', 'a link to it'])('has all its sessions in use, when the home knows it by %s', async (by) => {
    const root = realpathSync(tempDir());
    const [home, project, link] = [join(root, 'home'), join(root, 'greeter'), join(root, 'link')];
    mkdirSync(project);
    symlinkSync(project, link);
    putGemini(home, ONE);
    putGemini(home, { ...TWO, project: 'other' });
    putFile(home, 'tmp/greeter/.project_root', by === 'its own path' ? project : link);
    putFile(home, 'tmp/other/.project_root', join(root, 'other'));
    const agent = geminiAgent();
    const before = await agent.sort(treeOf(home), FILE_NOW);
    expect(before.sessions.map(({ active }) => active)).toEqual([false, false]);
    using idle = await agent.guard(home, FILE_NOW);
    expect(before.sessions.map((session) => idle.obstacle(session))).toEqual([undefined, undefined]);

    const program = join(root, 'gemini-cli', 'bundle', 'gemini.js');
    putFile(root, 'gemini-cli/bundle/gemini.js', 'console.log("up"); setTimeout(() => {}, 60_000)');
    const child = spawn(process.execPath, [program], { cwd: project });
    try {
      await once(child.stdout, 'data');
      const { sessions } = await agent.sort(treeOf(home), FILE_NOW);
      expect(sessions.map(({ id, active }) => [id, active])).toEqual([
        [ONE.id, true],
        [TWO.id, false],
      ]);
      using guard = await agent.guard(home, FILE_NOW);
      const obstacles = before.sessions.map((session) => guard.obstacle(session));
      expect(obstacles).toEqual(['A process of Gemini CLI is at work in its project.', undefined]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
