import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS as KNOWN, type KnownKind } from '../src/homes/kinds.ts';

const SRC = resolve(import.meta.dirname, '../src');

/** Imports point down this list, never sideways between adapters. `index.ts` may import anything. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  policy: ['core'],
  platform: ['core'],
  keeping: ['core', 'platform'],
  homes: ['core', 'platform', 'keeping', 'checkpoints'],
  kinds: ['homes'],
  store: ['core', 'platform'],
  objects: ['core', 'platform'],
  kit: ['core', 'policy'],
  checkpoints: ['core', 'platform'],
  engine: ['core', 'platform'],
  gateway: ['core', 'platform'],
  app: [
    'core',
    'policy',
    'platform',
    'keeping',
    'homes',
    'kinds',
    'store',
    'objects',
    'checkpoints',
    'engine',
    'gateway',
  ],
  http: ['core', 'app'],
  daemon: ['core', 'app', 'http'],
  client: ['core', 'http'],
  cli: ['core', 'app', 'daemon', 'client', 'kinds'],
  web: ['core', 'client'],
};

interface Source {
  readonly path: string;
  readonly text: string;
  /** Paths of our own modules it imports, types included. */
  readonly imports: readonly string[];
}

function readSources(): Source[] {
  const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.tsx?$/.test(name) && !/\.(test|conformance)\.ts$/.test(name));
  return files.map((name) => {
    const text = readFileSync(join(SRC, name), 'utf8');
    return { path: name.replaceAll('\\', '/'), text, imports: importsOf(name, text) };
  });
}

function importsOf(name: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => relative(SRC, resolve(SRC, dirname(name), specifier)).replaceAll('\\', '/'));
}

/** The list of kinds of homes loads nothing by itself, so that everybody may know their names. */
const KINDS = 'homes/kinds.ts';
const layerOf = (path: string) =>
  path === KINDS ? 'kinds' : path.includes('/') ? (path.split('/')[0] ?? '') : 'index';

const sources = readSources();

describe('the architecture', () => {
  it('has a rule for every layer', () => {
    const layers = new Set(sources.map(({ path }) => layerOf(path)).filter((layer) => layer !== 'index'));
    expect([...layers].filter((layer) => !(layer in MAY_IMPORT))).toEqual([]);
  });

  it('imports only downwards', () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        .filter((target) => {
          const [from, to] = [layerOf(path), layerOf(target)];
          return from !== 'index' && from !== to && !MAY_IMPORT[from]?.includes(to);
        })
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('lets the client know the API by its types alone', () => {
    const wrong = sources.filter(
      ({ path, text }) => layerOf(path) === 'client' && /^import (?!type )[^;]*from '\.\.\/http\//m.test(text),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('lets the page know the client by its types alone, and makes no markup of what agents wrote', () => {
    const page = sources.filter(({ path }) => layerOf(path) === 'web');
    const outside = /^import (?!type )[^;]*from '(\.\.\/)+client\//m;
    const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc/;
    expect(page.length).toBeGreaterThan(0);
    expect(page.filter(({ text }) => outside.test(text) || markup.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('never lets one home or store import another', () => {
    // What a kind is made of, and what makes one where sessions are files.
    const PORTS = new Set(['homes/home-kind.ts', 'homes/file-home-kind.ts']);
    // What stands in rows, which is the same in every database.
    const isShared = (path: string) => PORTS.has(path) || path.startsWith('store/rows/');
    const sibling = (path: string) => path.split('/').slice(0, 2).join('/');
    // What it loads where a home was found.
    const isPort = (path: string) => PORTS.has(path) || path === 'homes/found-file-home.ts';
    const wrong = sources.flatMap(({ path, imports }) =>
      ['homes', 'store', 'objects'].includes(layerOf(path)) && !isPort(path)
        ? imports.filter(
            (target) => layerOf(target) === layerOf(path) && sibling(target) !== sibling(path) && !isShared(target),
          )
        : [],
    );
    expect(wrong).toEqual([]);
  });

  it('has no import cycles, types included', () => {
    const importsByPath = new Map(sources.map(({ path, imports }) => [path, imports]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]) => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (trail.includes(path) || done.has(path)) return;
      for (const next of importsByPath.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('carries .ts in every import, and every import exists', () => {
    const paths = new Set(sources.map(({ path }) => path));
    expect(sources.flatMap(({ imports }) => imports.filter((target) => !paths.has(target)))).toEqual([]);
  });

  it('has named exports only, and none of everything', () => {
    const wrong = sources.filter(({ text }) => /^export (\*|default)/m.test(text)).map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('reaches the database file by SQLite only', () => {
    // Opening a database with fs in a process that has it open drops SQLite's locks; create-database-file.ts creates it, once.
    // wal-sync.ts opens the log beside it, on which SQLite takes none.
    const allowed = new Set(['store/sqlite/database/create-database-file.ts', 'store/sqlite/database/wal-sync.ts']);
    const wrong = sources
      .filter(({ path }) => !allowed.has(path))
      .filter(({ text }) => /\b(open|readFile|copyFile|writeFile|createReadStream)(Sync)?\([^)]*database/.test(text))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('is walked as ARCHITECTURE.md says, without going back to a folder one has left', () => {
    const page = readFileSync(join(SRC, '../ARCHITECTURE.md'), 'utf8');
    const lines = [...page.matchAll(/^- (\w+ → .*?): (`.*)$/gm)];
    expect(lines.map(([, what]) => what)).toEqual(['plan → apply → undo', 'append → search', 'take → restore']);
    const wrong = lines.flatMap(([, , walk = '']) => {
      const folders = walk.split(' → ').map((folder) => folder.replaceAll('`', ''));
      return folders.flatMap((folder, at) => {
        const inIt = sources.filter(({ path }) => dirname(path) === folder);
        const left = inIt.flatMap(({ path, imports }) =>
          imports.filter((to) => folders.slice(0, at).includes(dirname(to))).map((to) => `${path} goes back to ${to}`),
        );
        return inIt.length === 0 ? [`${folder} has nothing in it`] : left;
      });
    });
    expect(wrong).toEqual([]);
  });

  it('has no folder with more files than a person takes in at a look', () => {
    const MOST = 25;
    const counts = new Map<string, number>();
    for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MOST)).toEqual([]);
  });

  it('knows no kind of home by name outside its folder and the list', () => {
    // Extensions of one family, and agents that write alike, share a folder. Transcripts that can be brought in have a list of their own, and the gateway knows
    // agents by the commands that it runs.
    const FOLDERS: Record<string, string> = { 'roo-code': 'cline', 'kilo-code': 'cline', openclaw: 'pi' };
    // Models are called as agents are.
    const LISTS = new Set([KINDS, 'app/transfer/transcripts/load-formats.ts', 'app/config/price-table.ts']);
    const isNamed = (text: string, { name, agent }: KnownKind) =>
      name.length < 4 ? text.includes(`'${name}'`) : new RegExp(`${name}|${agent}`, 'i').test(text);
    const wrong = KNOWN.flatMap((kind) =>
      sources
        .filter(({ path }) => !LISTS.has(path) && !path.startsWith(`homes/${FOLDERS[kind.name] ?? kind.name}/`))
        .filter(({ path }) => kind.name === 'hermes' || !path.startsWith('gateway/'))
        .filter(({ text }) => isNamed(text, kind))
        .map(({ path }) => `${path}: ${kind.name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('loads nothing of another agent for a home of its own', () => {
    const entries = [
      'index.ts',
      'app/open-home.ts',
      'app/home.ts',
      'app/retention/retention.ts',
      'app/checkpoints/checkpoints.ts',
    ];
    const loaded = new Set(entries.flatMap(loadedWith));
    expect([...loaded].filter((path) => path.startsWith('homes/') && !path.startsWith('homes/native/'))).toEqual([
      KINDS,
    ]);
  });

  it('never writes to the environment of the process: it belongs to the host', () => {
    const wrong = sources.filter(({ text }) => /process\.env(\[[^\]]+\]|\.\w+)\s*(\?\?|\|\|)?=[^=]/.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('is lazy where the command line starts: no command is loaded before it is called', () => {
    const eager = loadedWith('cli/main.ts');
    expect(eager.filter((path) => !['cli', 'core', 'kinds'].includes(layerOf(path)))).toEqual([]);
    expect(eager.filter((path) => /^cli\/(sessions|config|retention|trash)\//.test(path))).toEqual([]);
  });

  it('opens a home, plans, applies and shows without loading the library of schemas: a quarter of the start of a command', () => {
    const entries = [
      'app/open-home.ts',
      'app/home.ts',
      'app/retention/retention.ts',
      'app/checkpoints/checkpoints.ts',
      'cli/retention/plan.ts',
    ];
    const eager = new Set(entries.flatMap(loadedWith));
    const wrong = sources.filter(({ path, text }) => eager.has(path) && text.includes("from 'zod'"));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  /** Every file of ours that is loaded before the first line of this one runs. */
  function loadedWith(entry: string): string[] {
    const eager = new Set<string>();
    const visit = (path: string) => {
      if (eager.has(path)) return;
      eager.add(path);
      const source = sources.find((candidate) => candidate.path === path);
      const statics = [...(source?.text ?? '').matchAll(/^(?:import|export) (?!type )[^;]*from '(\.[^']+)'/gm)];
      for (const [, specifier = ''] of statics) {
        visit(relative(SRC, resolve(SRC, dirname(path), specifier)).replaceAll('\\', '/'));
      }
    };
    visit(entry);
    return [...eager];
  }
});
