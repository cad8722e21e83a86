import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { copyHome } from '../support/first-commands.ts';
import { tempDir } from '../support/temp-dir.ts';

const WORKER = resolve(import.meta.dirname, '../support/say-lines.js');
/** Each of these takes a moment. A line that is not done by then hangs. */
const PATIENCE_MS = 30_000;
const PLAN = 'plans/0123456789abcdef.json';

const LINES = [
  ['sessions', 'list'],
  ['doctor'],
  ['plan'],
  ['apply', '0123456789abcdef', '--yes'],
  ['sessions', 'delete', 'one', '--yes'],
  ['undo', '--yes'],
  ['sessions', 'archive', '--older-than', '1d', '--yes'],
];

/** What Coppice owns, by its name in a home; `transcript` and `manifest` are found where they are. */
const OWNED = ['config.yaml', 'ballast', 'state.db', 'lock.db', 'live.db', PLAN, 'transcript', 'manifest'];

it.each(OWNED)('a pipe in the place of %s is told of, and nothing waits for it', async (name) => {
  const home = await aHome(join(tempDir(), 'home'));
  const place = join(home, name === 'transcript' || name === 'manifest' ? found(home, name) : name);
  mkdirSync(join(place, '..'), { recursive: true, mode: 0o700 });
  rmSync(place, { force: true });
  execFileSync('mkfifo', ['-m', '600', place]);
  const said = sayAll(copyHome(home, join(home, '..', 'copy')));
  expect(said.unanswered).toEqual([]);
  // A bug would be told as one.
  expect(said.answers.filter(({ text }) => /\bbug\b|at .*\.js:\d+/.test(text))).toEqual([]);
});

it('a folder in the place of the configuration is told of in a sentence', async () => {
  const home = await aHome(join(tempDir(), 'home'));
  const place = join(home, 'config.yaml');
  rmSync(place, { force: true });
  mkdirSync(place);
  const [answer] = sayAll(home, [['plan']]).answers;
  expect(answer).toMatchObject({ code: 2, text: expect.stringContaining('config.yaml is not a file, but a folder') });
});

it('a pipe in the place of the reserve is named by the doctor, whose repair cannot move it', async () => {
  const home = await aHome(join(tempDir(), 'home'));
  rmSync(join(home, 'ballast'), { force: true });
  execFileSync('mkfifo', ['-m', '600', join(home, 'ballast')]);
  const [answer] = sayAll(home, [['doctor']]).answers;
  expect(answer?.text).toMatch(/ballast is not a file, but a pipe\.\s+Move that out of the way\. Lay it in with/);
});

interface Answer {
  readonly code: number;
  readonly text: string;
}

function sayAll(home: string, lines: readonly (readonly string[])[] = LINES) {
  const { stdout } = spawnSync(process.execPath, [WORKER, home, JSON.stringify(lines)], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  const told = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Partial<Answer> & { begun?: string[] });
  const answers = told.filter((each): each is Answer => each.code !== undefined);
  const begun = told.flatMap((each) => (each.begun === undefined ? [] : [each.begun.join(' ')]));
  return { answers, unanswered: begun.slice(answers.length) };
}

/** With two sessions, one of them in the trash, and a gateway that has counted something. */
async function aHome(home: string): Promise<string> {
  const clock = { now: () => Date.now() - 3 * 86_400_000 };
  await using made = await openHome({ path: home, clock });
  for (const id of ['one', 'two']) {
    const session = await made.sessions.create({ id, source: 'cli' });
    await session.append({ role: 'user', content: 'hello' });
    await session.end('done');
  }
  const retention = await made.retention();
  await made.apply(await retention.plan({ kind: 'delete', ids: ['two'] }));
  return home;
}

function found(home: string, name: string): string {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const path = files.find((file) =>
    (name === 'manifest' ? /^trash\/.*manifest/ : /^sessions\/.*transcript/).test(file),
  );
  return path ?? expect.fail(`no ${name}`);
}
