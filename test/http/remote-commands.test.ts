import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { commandLine, everyCommand } from '../../src/cli/command-tree.ts';
import { main } from '../../src/cli/main.ts';
import { createProgram } from '../../src/cli/program.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { captureIo } from '../capture-io.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type Line, type Place, STORIES } from './remote-stories.ts';
import { serveHome, TOKEN } from './serve-home.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');

const WHO_MAY = 'who may do what is decided on the machine of the home alone';

/** What does not work through a daemon, how it is typed, and what is said then. */
const HOMES = 'it is about the homes of this machine';

const ONLY_HERE: Readonly<Record<string, { readonly line: readonly string[]; readonly because: string }>> = {
  serve: { line: ['serve'], because: 'it is the daemon itself' },
  run: { line: ['run', '--', 'true'], because: 'it starts the agent on this machine' },
  'cron add': { line: ['cron', 'add', 'x', '--schedule', '* * * * *', '--', 'true'], because: 'a job is a command' },
  'token create': { line: ['token', 'create', 'x', '--scope', 'read'], because: WHO_MAY },
  'token list': { line: ['token', 'list'], because: WHO_MAY },
  'token revoke': { line: ['token', 'revoke', 'x'], because: WHO_MAY },
  'service install': { line: ['service', 'install'], because: 'a service belongs to the machine' },
  'service status': { line: ['service', 'status'], because: 'a service belongs to the machine' },
  'service remove': { line: ['service', 'remove'], because: 'a service belongs to the machine' },
  expiring: { line: ['expiring'], because: HOMES },
  'sessions index': { line: ['sessions', 'index'], because: 'the index is on the machine of its daemon' },
  'homes list': { line: ['homes', 'list'], because: HOMES },
  'homes scan': { line: ['homes', 'scan'], because: HOMES },
  'homes add': { line: ['homes', 'add', '/x'], because: HOMES },
  'homes ignore': { line: ['homes', 'ignore', '/x'], because: HOMES },
  'config init': { line: ['config', 'init'], because: 'it writes a file for a person to edit' },
};

/** What is about the daemon alone, and has no home to say the same of without one. */
const ONLY_THERE: ReadonlySet<string> = new Set(['open']);

/** Every command that takes words, as a person types it. */
function leaves(): readonly string[] {
  const silent = captureIo().io.out;
  const clock = { now: () => NOW };
  const program = createProgram({ out: silent, version: '0', clock, execute: async () => undefined });
  return everyCommand(program)
    .filter(({ commands }) => commands.length === 0)
    .map((command) => commandLine(command).replace(/^coppice /, ''));
}

/** A home with something of everything. */
async function furnish(): Promise<Place> {
  const root = tempDir();
  const project = join(root, 'project');
  const path = join(root, 'home');
  let now = NOW - 200 * DAY_MS;
  await using home = await openHome({ path, clock: { now: () => now } });
  // What a process closes in the background, at its first write, is no matter of the commands.
  const settings = ['trash:', '  grace_days: 6 # not quite a week', 'sessions:', '  abandon_after_hours: 48'];
  writeFileSync(join(path, 'config.yaml'), `${settings.join('\n')}\n`);
  const begin = async (id: string, source = 'old') => {
    const session = await home.sessions.create({ id, source, workdir: '/projects/x' });
    await session.append({ role: 'user', content: `Where is the needle of ${id}?` });
    await session.end('done');
  };
  for (const id of ['prune-a', 'prune-b', 'pack-a', 'pack-b', 'policy-a', 'policy-b'])
    await begin(id, id.split('-')[0]);
  for (const id of ['empty-a', 'empty-b']) await (await home.sessions.create({ id, source: 'empty' })).end('done');
  for (const id of ['gone-a', 'gone-b', 'gone-c', 'gone-d', 'gone-e', 'stored-a', 'stored-b', 'del-a', 'del-b'])
    await begin(id, id.split('-')[0]);
  now = NOW - DAY_MS;
  const session = await home.sessions.create({ id: 'plain', source: 'cli', title: 'About needles', model: 'm' });
  await session.append({ role: 'user', content: 'Where is the needle?' });
  await session.append({ role: 'assistant', content: [{ type: 'text', text: 'In the haystack.' }] });
  await session.recordUsage({ model: 'm', inputTokens: 10, outputTokens: 2, costUsd: 0.25 });
  await session.dump({ request: { url: 'https://example.org' }, response: {} } as never);
  const live = await home.gateway.resolve({ key: 'telegram:42', source: 'telegram' });
  await live.append({ role: 'user', content: 'hello' });
  const scheduler = await home.scheduler();
  for (const name of ['report', 'other', 'third'])
    await scheduler.add(name, { schedule: '0 7 * * *', command: ['true'] });
  const checkpoints: string[] = [];
  for (const text of ['one', 'two', 'three']) {
    now += 1000;
    change(project, text);
    const taken = await home.checkpoints.take({ workdir: project, reason: text });
    if (taken.status === 'taken') checkpoints.push(taken.checkpoint.id);
  }
  await home.checkpoints.settled();
  const runs: string[] = [];
  for (const id of ['gone-a', 'gone-b', 'gone-c', 'gone-d', 'gone-e']) {
    now += 1000;
    runs.push((await home.apply(await home.plan({ kind: 'delete', ids: [id] }))).run.id);
  }
  const filter = { source: 'stored' };
  await home.apply(await home.plan({ kind: 'archive', filter, before: now }));
  return { root, home: path, project, checkpoints, runs };
}

function change(project: string, text: string): void {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'a.txt'), `${text}\n`);
}

interface Said {
  readonly line: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Playing {
  readonly place: Place;
  /** The words that say which home is meant. */
  readonly where: readonly string[];
  readonly clock: { at: number };
}

/** Goes through a story, one second after the other, with the same words before each line. */
async function play(lines: readonly Line[], { place, where, clock }: Playing): Promise<readonly Said[]> {
  const said: Said[] = [];
  let before = '';
  for (const [number, line] of lines.entries()) {
    clock.at = NOW + number * 1000;
    change(place.project, 'now');
    const words = typeof line === 'function' ? line(before) : line;
    const { code, stdout, stderr } = await type([...where, ...words], { now: clock.at, once: words.includes('watch') });
    before = stdout;
    said.push({ line: typeof line === 'function' ? 'apply' : line.join(' '), code, stdout, stderr });
  }
  return said;
}

/** Types one line. `once` presses Ctrl-C as soon as anything is printed. */
async function type(words: readonly string[], { now = NOW, once = false } = {}) {
  const stop = new AbortController();
  const { io, out, err } = captureIo({ now, signal: stop.signal, env: { COPPICE_TOKEN: TOKEN } });
  const write = (text: string) => {
    io.out.write(text);
    if (once) stop.abort();
  };
  const code = await main(words, { ...io, out: { ...io.out, write } });
  return { code, stdout: out(), stderr: err() };
}

/** What is not the same twice: names made by chance or from the stamps of files, and how full the disk is. */
function plain({ line, code, stdout, stderr }: Said, where: readonly string[]): Said {
  const same = (text: string) =>
    text
      .replaceAll(` ${where.join(' ')}`, '')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'RUN')
      .replaceAll(/\b[0-9a-f]{16}\b/g, 'PLAN')
      // A daemon that answers is running, and says so.
      .replace(
        /^(Jobs run only while this is running: coppice serve|The daemon that answered runs them,.*)$/m,
        'WHO RUNS',
      )
      .replaceAll(/"freeBytes": \d+/g, 'FREE');
  return { line, code, stdout: same(stdout), stderr: same(stderr) };
}

describe('every command', () => {
  it.each(Object.entries(STORIES))('%s says and does the same through a daemon', async (_, story) => {
    const place = await furnish();
    const lines = story(place);
    const clock = { at: NOW };
    cpSync(place.home, join(place.root, 'copy'), { recursive: true, preserveTimestamps: true });
    const nearby = ['--home', place.home];
    const near = await play(lines, { place, where: nearby, clock });
    rmSync(place.home, { recursive: true });
    for (const name of ['out.html', 'plan.json']) rmSync(join(place.root, name), { force: true });
    cpSync(join(place.root, 'copy'), place.home, { recursive: true, preserveTimestamps: true });
    const { server, said } = await serveHome({ path: place.home, clock: { now: () => clock.at } });
    const faraway = ['--remote', server.url];
    const far = await play(lines, { place, where: faraway, clock });
    for (const [at, here] of near.entries()) {
      const there = far[at];
      expect.soft(there && plain(there, faraway)).toEqual(plain(here, nearby));
    }
    expect(said).toEqual([]);
  });

  it('is in one of the stories, as text and as JSON, or among those that work on the machine of the home only', () => {
    const nowhere = { root: tempDir(), home: '', project: '', checkpoints: [], runs: [] };
    const lines = Object.values(STORIES).flatMap((story) => story(nowhere));
    const typed = lines.map((line) => (typeof line === 'function' ? line('{"id":""}') : line).join(' '));
    const missing = leaves().filter((name) => {
      if (Object.hasOwn(ONLY_HERE, name) || ONLY_THERE.has(name)) return false;
      const alone = name.replace(/^(runs|cron) list$/, '$1');
      return !typed.some((line) => line.startsWith(alone)) || !typed.some((line) => line.startsWith(`--json ${alone}`));
    });
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(ONLY_HERE))(
    'says why %s works on the machine of the home only',
    async (name, { line, because }) => {
      const { code, stdout, stderr } = await type(['--remote', 'http://127.0.0.1:1', ...line]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`coppice ${name} does not work with --remote, because ${because}`);
      expect(stderr).toContain('Run it on the machine where the home is.');
    },
  );
});
