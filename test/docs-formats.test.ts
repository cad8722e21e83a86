import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseRecord, recordText } from '../src/app/access/audit.ts';
import { parseToken, tokenText } from '../src/app/access/token-record.ts';
import { readProject, writeProject } from '../src/checkpoints/store/project-book.ts';
import { storeLayout } from '../src/checkpoints/store/store-layout.ts';
import { readSnapshotText, snapshotText } from '../src/checkpoints/store/snapshot-text.ts';
import { openHome } from '../src/index.ts';
import { sandbox } from './e2e/run-coppice.ts';
import { examplesIn, linesOf } from './support/documentation.ts';
import { ExampleMachine } from './support/example-machine.ts';
import { tempDir } from './support/temp-dir.ts';

const root = sandbox();

type Line = Readonly<Record<string, unknown>>;

/** How each example of a format is held against the program; one without an entry fails. */
const CHECKS: Readonly<Record<string, (code: string) => Promise<void> | void>> = {
  'docs/formats/access.md, 1': (code) => {
    const record = parseToken(code);
    expect(record && tokenText(record)).toBe(code);
  },
  'docs/formats/archive.md, 1': async (code) => {
    const real = parsed(await unpacked());
    for (const shown of parsed(code)) {
      const { row, ...rest } = real.find(({ kind }) => kind === shown['kind']) ?? {};
      expect(Object.keys(shown).filter((key) => key !== 'row')).toEqual(Object.keys(rest));
      expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(known(shown['row'])));
    }
    expect(new Set(parsed(code).map(({ kind }) => kind))).toEqual(new Set(real.map(({ kind }) => kind)));
  },
  'docs/formats/archive.md, 2': async (code) => {
    machine.reset();
    const disk = tempDir();
    await machine.do(`coppice sessions archive --older-than 60d --set archive.url=file:${disk}`);
    const files = readdirSync(disk, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
    const written = files.toSorted().map((name) => parsed(readFileSync(join(disk, name), 'utf8'))[0] ?? {});
    const [mark, manifest] = parsed(code);
    expect(Object.keys(written[0] ?? {})).toEqual(Object.keys(mark ?? {}));
    expect(Object.keys(written[1] ?? {})).toEqual(Object.keys(manifest ?? {}));
    const sessionOf = (line: Line | undefined) => (line?.['sessions'] as Line[] | undefined)?.[0] ?? {};
    const titled = Object.keys(sessionOf(written[1])).filter((key) => key !== 'title');
    expect(titled).toEqual(Object.keys(sessionOf(manifest)));
  },
  'docs/formats/access.md, 2': (code) => {
    const record = parseRecord(code);
    expect(record && `${recordText(record)}\n`).toBe(code);
  },
  'docs/formats/checkpoints.md, 1': (code) => {
    const facts = readSnapshotText(code);
    expect(facts && snapshotText(facts).split('\n').at(-2)).toBe(code.trim());
  },
  'docs/formats/checkpoints.md, 2': (code) => {
    const layout = storeLayout(tempDir());
    mkdirSync(layout.projects, { recursive: true });
    writeFileSync(layout.project('816fc349d3faebf8'), code);
    const record = readProject(layout, '816fc349d3faebf8');
    if (typeof record === 'string') throw new Error(`The example is ${record}.`);
    writeProject(layout, '816fc349d3faebf8', record);
    expect(readFileSync(layout.project('816fc349d3faebf8'), 'utf8')).toBe(code);
  },
  'docs/formats/transcript.md, 1': () => transcript(),
  'docs/formats/transcript.md, 2': () => transcript(),
  'docs/formats/trash.md, 1': async (code) => {
    machine.reset();
    await machine.do('coppice sessions delete my-session');
    const [run = ''] = readdirSync(join(machine.home, 'trash'));
    const written = readFileSync(join(machine.home, 'trash', run, 'manifest.jsonl'), 'utf8');
    expect(parsed(written).map(Object.keys)).toEqual(parsed(code).map(Object.keys));
  },
};

const examples = examplesIn('json').map(({ page, number, code }) => ({ name: `${page}, ${number}`, code }));

let machine: ExampleMachine;
beforeAll(async () => {
  machine = await ExampleMachine.build(root);
});

describe('the pages about formats', () => {
  it.each(examples)('show what the program reads and writes: $name', async ({ name, code }) => {
    await CHECKS[name]?.(code);
    expect(Object.keys(CHECKS)).toContain(name);
  });
});

/** The content of an archived session, read with the commands that the page shows. */
async function unpacked(): Promise<string> {
  machine.reset();
  await machine.do('coppice sessions archive --older-than 99d');
  const [brotli = ''] = readdirSync(join(machine.home, 'archive'));
  await machine.do('coppice sessions archive --older-than 60d --set archive.codec=gzip');
  const gzip = readdirSync(join(machine.home, 'archive')).find((name) => name !== brotli) ?? '';
  const code = examplesIn('sh').find(({ page }) => page === 'docs/formats/archive.md')?.code ?? '';
  const [index = '', ...members] = linesOf(code);
  const inHome = (line: string, bundle: string) =>
    machine.shell(`cd ~/.coppice\n${line.replace(/archive\/\S+\.tar/, `archive/${bundle}`)}`);
  expect(parsed(await inHome(index, brotli))).toMatchObject([{ member: '1.jsonl.br', id: 'alpha-disk' }]);
  const [first = '', second = ''] = members;
  expect(await inHome(second, gzip)).toContain('"coppice-archive"');
  return inHome(first, brotli);
}

/** Brings the transcript of the page in, and expects the very same before whatever is said next. */
async function transcript(): Promise<void> {
  const folder = tempDir();
  const file = join(folder, 'transcript.jsonl');
  const shown = examples.filter(({ name }) => name.startsWith('docs/formats/transcript.md'));
  const code = shown.map((example) => example.code).join('');
  writeFileSync(file, code);
  await using home = await openHome({ path: join(folder, 'home'), env: {} });
  for await (const outcome of home.sessions.import({ paths: [file] })) expect(outcome.status).toBe('imported');
  const session = await home.sessions.open('0198c2…');
  await session.resume();
  await session.append({ role: 'user', content: 'next' });
  const [written = ''] = readdirSync(join(home.path, 'sessions'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('transcript.jsonl'))
    .map((name) => readFileSync(join(home.path, 'sessions', name), 'utf8'));
  expect(written.slice(0, code.length)).toBe(code);
}

function parsed(code: string): readonly Line[] {
  return code
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** The names in a row of an example, without the sign for those left out. */
function known(row: unknown): string[] {
  return Object.keys(row ?? {}).filter((key) => key !== '…');
}
