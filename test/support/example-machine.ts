import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { openHome } from '../../src/index.ts';
import { captureIo } from '../capture-io.ts';
import { makeExampleHome } from '../e2e/example-home.ts';
import { BIN } from '../e2e/run-coppice.ts';
import { linesOf } from './documentation.ts';
import type { Said } from './hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from './hermes-home.ts';

/** Commands that go on until Ctrl-C, and what they exit with then. */
const LASTING = [
  { line: /^coppice serve\b/, code: 0 },
  { line: /^coppice watch\b|--follow\b/, code: 130 },
];

const HOMES = ['.coppice', '.hermes', 'project'];

/**
 * A person's machine, for running what the documentation shows: homes with something of everything, a project, an agent.
 * It is `HERMES_NOW` there. Whoever is asked says yes, and what would go on for ever is stopped once it has said something.
 */
export class ExampleMachine {
  readonly folder: string;
  readonly home: string;
  /** Where the home is served, once it is. */
  readonly served = { url: '', socket: '' };
  private readonly saved: string;
  private plan = '';

  private constructor(root: string) {
    this.folder = join(root, 'me');
    this.home = join(this.folder, '.coppice');
    this.saved = join(root, 'saved');
  }

  static async build(root: string): Promise<ExampleMachine> {
    const machine = new ExampleMachine(root);
    mkdirSync(machine.folder);
    furnish(machine.folder);
    await makeExampleHome(machine.home, HERMES_NOW);
    await fillHome(machine);
    for (const name of HOMES)
      cpSync(join(machine.folder, name), join(machine.saved, name), { recursive: true, preserveTimestamps: true });
    return machine;
  }

  /** The homes and the project as they were at first. The folder around them stays: checkpoints know it. */
  reset(): void {
    for (const name of HOMES) {
      rmSync(join(this.folder, name), { recursive: true });
      cpSync(join(this.saved, name), join(this.folder, name), { recursive: true, preserveTimestamps: true });
    }
  }

  /** Does what an example says, and fails where it does. */
  async do(code: string): Promise<void> {
    // What opens a browser is tested in one (test/page); nobody listens on the port that it looks at here.
    const lines = linesOf(code).filter((line) => !/^coppice open\b/.test(line));
    if (lines.every((line) => /^coppice [^$>|]*$/.test(line))) {
      for (const line of lines) expect(await this.type(line), line).toMatchObject({ code: 0 });
    } else await this.shell(code);
  }

  /** Types one line that calls Coppice. An answer of 0 means that it did what it should. */
  async type(line: string): Promise<Said> {
    const lasting = LASTING.find((one) => one.line.test(line));
    const stop = new AbortController();
    const captured = captureIo({
      env: { ...this.env, COPPICE_HOME: this.home },
      cwd: join(this.folder, 'project'),
      now: HERMES_NOW,
      columns: 200,
      signal: stop.signal,
    });
    const { out } = captured.io;
    const io = {
      ...captured.io,
      out: { ...out, write: (text: string) => (out.write(text), lasting && setImmediate(() => stop.abort())) },
      question: async (text: string) => /Type (\d+)/.exec(text)?.[1] ?? 'y',
    };
    const code = await main(await this.wordsOf(line), io);
    const said = { code: code === lasting?.code ? 0 : code, out: captured.out(), err: captured.err() };
    this.plan = /coppice apply ([0-9a-f]{16})/.exec(said.out)?.[1] ?? this.plan;
    return said;
  }

  /** Runs lines that need a shell, `coppice` in them being the built program. Fails where one of them does. */
  async shell(code: string): Promise<string> {
    const lines = this.here(code);
    const script = `set -euo pipefail\nfpath=(. ~/functions)\n${lines}`;
    const options = { cwd: join(this.folder, 'project'), env: this.env };
    return (await promisify(execFile)('bash', ['-c', script], options)).stdout;
  }

  /** The document that a command prints for programs. */
  private async json<T>(...words: readonly string[]): Promise<T> {
    const { io, out } = captureIo({ env: this.env, now: HERMES_NOW });
    await main([...words, '--json'], io);
    return JSON.parse(out()) as T;
  }

  private get env() {
    return { HOME: this.folder, PATH: `${join(this.folder, 'bin')}:${process.env['PATH']}`, TZ: 'UTC' };
  }

  /** The words of a line as the command gets them, with what is really there in place of made-up names. */
  private async wordsOf(line: string): Promise<string[]> {
    const [, ...words] = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
    const home = words.includes('--home') ? join(this.folder, '.hermes') : this.home;
    const real: string[] = [];
    for (const word of words) real.push(await this.realName(word, { home, about: words[0] ?? '' }));
    // There is nothing on it that would start a service.
    if (words[0] === 'service' && words[1] === 'install' && !words.includes('--dry-run')) real.push('--force');
    const portless = words[0] === 'serve' && !words.includes('--port') && !words.includes('--socket');
    return portless ? [...real, '--port', '0'] : real;
  }

  private async realName(word: string, { home, about }: { home: string; about: string }): Promise<string> {
    if (word === 'PLAN' || word === '3f0c29ab51de7788') return this.plan;
    if (word === 'ID' && about !== 'checkpoints') return home === this.home ? 'alpha-disk' : 'plain';
    if (['ID', 'CHECKPOINT', '3f0c29ab', '77de1c02'].includes(word)) {
      type List = { checkpoints: { id: string }[] };
      const { checkpoints } = await this.json<List>('--home', home, 'checkpoints', 'list', '--all');
      return checkpoints[word === '77de1c02' ? 1 : 0]?.id ?? word;
    }
    if (word === '01a2b3c4-d5e6-7f80-9a0b-1c2d3e4f5061') {
      const { runs } = await this.json<{ runs: { id: string }[] }>('--home', home, 'runs', 'list');
      return runs[0]?.id ?? word;
    }
    return this.here(word).replace(/^~/, this.folder);
  }

  /** A text with the paths and addresses of this machine in place of those that the documentation shows. */
  private here(text: string): string {
    return text
      .replaceAll('/projects/app', join(this.folder, 'project'))
      .replaceAll('/srv/agents', join(this.folder, 'agents'))
      .replaceAll('http://127.0.0.1:7717', this.served.url)
      .replaceAll('unix:/path/to.sock', this.served.socket)
      .replace(/^(7717|8000)$/, '0');
  }
}

/** Enough of it to read an archive, where it is not installed. */
const BROTLI = `exec node -e 'process.stdin.pipe(require("zlib").createBrotliDecompress()).pipe(process.stdout)'`;

function furnish(folder: string): void {
  const program = (name: string, script: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  for (const made of ['bin', 'project/src', 'old-transcripts', 'functions'])
    mkdirSync(join(folder, made), { recursive: true });
  mkdirSync(join(folder, '.local/share/bash-completion/completions'), { recursive: true });
  mkdirSync(join(folder, '.config/fish/completions'), { recursive: true });
  for (const agent of ['my-agent', 'claude']) program(agent, 'exit 0');
  // An answer that is an error is one, and what goes on for ever is left after a second.
  const curl = `PATH='${process.env['PATH']}' curl --silent --show-error --fail`;
  program('curl', `case "$*" in *-N*) ${curl} --max-time 1 "$@" 2>&1; test $? = 28;; *) ${curl} "$@";; esac`);
  if (spawnSync('brotli', ['--version']).error !== undefined) program('brotli', BROTLI);
  program('coppice', `exec '${process.execPath}' '${BIN}' "$@"`);
  const transcript = `${JSON.stringify({ role: 'user', content: 'from before' })}\n`;
  writeFileSync(join(folder, 'old-transcripts', 'one.jsonl'), transcript);
  mkdirSync(join(folder, 'project', 'old-transcripts'));
  writeFileSync(join(folder, 'project', 'old-transcripts', 'two.jsonl'), transcript);
  writeFileSync(join(folder, 'project', 'more.jsonl'), transcript);
  const firstAt = HERMES_NOW - 3 * HERMES_DAY;
  buildHermesHome(join(folder, '.hermes'), {
    sessions: [
      { id: 'plain', messages: ['The disk full again?', 'Yes.'], cwd: '/projects/app', files: ['transcript'] },
      { id: 'chat', source: 'telegram', messages: ['hello'] },
      { id: 'newest', messages: ['hello'], startedAt: firstAt },
    ],
    checkpoints: {
      v1: [{ workdir: join(folder, 'old'), reasons: ['before write_file'], firstAt }],
      v2: [{ workdir: join(folder, 'new'), reasons: ['before write_file', 'before patch'], firstAt }],
    },
  });
}

/** What the examples of the commands speak of. */
async function fillHome({ home: path, folder }: ExampleMachine): Promise<void> {
  let now = HERMES_NOW - 95 * HERMES_DAY;
  await using home = await openHome({ path, env: {}, clock: { now: () => now } });
  for (const id of ['0198c2aa', '0198d4bb', 'my-session', 'other-session']) {
    const session = await home.sessions.create({ id, source: 'telegram' });
    for (const content of ['one', 'two', 'three', 'four', 'five', 'six'])
      await session.append({ role: 'user', content });
    // As much as the example of a correction takes back.
    await session.recordUsage({ model: 'm', inputTokens: 5_000_000 });
    await session.end('done');
  }
  now = HERMES_NOW - 60_000;
  await home.gateway.resolve({ key: 'telegram:42', source: 'telegram' });
  await (await home.scheduler()).add('report', { schedule: '0 7 * * *', command: [join(folder, 'bin', 'my-agent')] });
  // A folder that is no longer there.
  const old = join(folder, 'old-project');
  mkdirSync(old);
  writeFileSync(join(old, 'notes.txt'), 'old');
  await home.checkpoints.take({ workdir: old });
  for (const text of ['one', 'two']) {
    now += 1000;
    writeFileSync(join(folder, 'project', 'src', 'main.ts'), text);
    await home.checkpoints.take({ workdir: join(folder, 'project') });
  }
  await home.checkpoints.settled();
  rmSync(old, { recursive: true });
}
