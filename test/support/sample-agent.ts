import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { firstLines } from '../../src/core/sessions/first-lines.ts';
import { textOf } from '../../src/core/sessions/message-parts.ts';
import { startNotes } from '../../src/core/sessions/transcript-notes.ts';
import type { TranscriptFormat } from '../../src/core/sessions/transcript-format.ts';
import { fileHomeKind } from '../../src/homes/file-home-kind.ts';
import type { FileHomeParts } from '../../src/homes/found-file-home.ts';
import type { HomeKind } from '../../src/homes/home-kind.ts';
import type {
  FileAgent,
  FoundSession,
  FoundStray,
  SharedPart,
  SortedHome,
} from '../../src/keeping/file-home/file-agent.ts';
import type { HomeTree, TreeFile } from '../../src/keeping/file-home/home-tree.ts';
import { writeFileAtomic } from '../../src/platform/files/private-files.ts';
import { describeLines } from '../../src/platform/transcripts/describe-lines.ts';
import { readBeginning } from '../../src/platform/transcripts/read-beginning.ts';
import { type LineTranscript, linesOfFile, readJsonLines } from '../../src/platform/transcripts/read-json-lines.ts';

/**
 * An agent that nobody has, with one of everything that agents have: a conversation in `chats/ID.jsonl`, that goes on in
 * `chats/ID.2.jsonl`; a folder `work/ID`; output that it does without in `logs/ID.txt`; a secret in `keys/ID`; a line in the shared
 * `index.jsonl`; and `open.json`, which names what it has open.
 */
export function sampleAgent(over: Partial<FileAgent> = {}): FileAgent {
  return {
    name: 'sample',
    agent: 'Sample',
    format: async () => sampleFormat,
    sort: async (tree) => sortSample(tree),
    async describe(home, { transcripts: [file] }) {
      const path = join(home, file?.path ?? '');
      return describeLines(path, () => sampleLines(path));
    },
    async guard(home) {
      return {
        obstacle: ({ id }) => (openIn(home).has(id) ? 'The agent has it open.' : undefined),
        [Symbol.dispose]: () => undefined,
      };
    },
    shared: [sharedIndex],
    ...over,
  };
}

export function sampleKind(over: Partial<FileHomeParts> = {}): HomeKind {
  return fileHomeKind({
    name: 'sample',
    agent: 'Sample',
    places: () => [],
    mayBeHome: (path) => existsSync(join(path, 'chats')),
    load: async () => sampleAgent(),
    ...over,
  });
}

const sampleFormat: TranscriptFormat = {
  name: 'sample',
  title: 'Sample',
  recognise: () => 'transcript',
  read: (file, signal) => readJsonLines(file.path, linesOfFile(file.path, signal), sampleLines(file.path)),
};

function sampleLines(path: string): LineTranscript {
  const notes = startNotes(basename(path, '.jsonl'));
  return {
    read({ role, text, at, parent, workdir, call }) {
      if (typeof workdir === 'string') notes.workdir = workdir;
      if (typeof parent === 'string') notes.parent = { id: parent, kind: 'continuation' };
      if (role !== 'user' && role !== 'assistant') return [];
      const message = {
        role,
        content: typeof text === 'string' ? text : '',
        at: Number(at),
        ...(role === 'assistant' && { model: 'm' }),
      } as const;
      notes.saw(message);
      if (typeof call !== 'string') return [{ kind: 'message', message }];
      const report = { model: 'm', inputTokens: 10, outputTokens: 1, costUsd: 0.5 };
      return [
        { kind: 'message', message },
        { kind: 'usage', call, report },
      ];
    },
    facts: () => notes.facts(),
  };
}

function openIn(home: string): ReadonlySet<string> {
  const path = join(home, 'open.json');
  return new Set(existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : []);
}

function sortSample(tree: HomeTree): SortedHome {
  const open = openIn(tree.home);
  const files = [...tree.files.values()];
  const sessions = new Map<string, TreeFile[]>();
  for (const file of files) {
    const [, id] = /^chats\/([^/]+?)(?:\.2)?\.jsonl$/.exec(file.path) ?? [];
    if (id !== undefined) sessions.set(id, [...(sessions.get(id) ?? []), file].toSorted(byLength));
  }
  const placed = new Set([...sessions.values()].flat());
  const below = (path: string) => files.filter((file) => file.path === path || file.path.startsWith(`${path}/`));
  const parts = (id: string) =>
    [
      { path: `work/${id}`, sparable: false },
      { path: `logs/${id}.txt`, sparable: true },
      { path: `keys/${id}`, sparable: false, secret: true as const },
    ].flatMap((part) => {
      const own = below(part.path);
      for (const file of own) placed.add(file);
      return own.length === 0 ? [] : [{ ...part, files: own }];
    });
  const found = [...sessions].map(([id, transcripts]): FoundSession => {
    const parent = parentOf(join(tree.home, transcripts[0]?.path ?? ''));
    return {
      id,
      transcripts,
      parts: parts(id),
      ...(parent !== undefined && { parentId: parent }),
      active: open.has(id),
      pinned: id.startsWith('pinned'),
    };
  });
  const strays = [...tree.folders, ...tree.files.keys()].flatMap((path): FoundStray[] => {
    const kind = /^work\/[^/]+$/.test(path) ? 'orphan' : path.endsWith('.tmp') ? 'debris' : undefined;
    const own = below(path).filter((file) => !placed.has(file));
    if (kind === undefined || own.length === 0) return [];
    for (const file of own) placed.add(file);
    return [{ kind, path, files: own }];
  });
  const settings = files.filter((file) => !placed.has(file) && /^(open\.json|index\.jsonl)$/.test(file.path));
  const others = [{ name: 'settings', files: settings, unbounded: false }];
  return { sessions: found, strays, others, problems: [], doubts: [] };
}

function parentOf(path: string): string | undefined {
  const [first] = firstLines(readBeginning(path, 4096) ?? '', 1);
  return textOf(first?.['parent']);
}

function byLength(a: TreeFile, b: TreeFile): number {
  return a.path.length - b.path.length;
}

/** Lines of an index that all sessions share. */
const sharedIndex: SharedPart = {
  name: 'index',
  obstacle: (home) => (existsSync(join(home, 'index.lock')) ? 'The index is locked.' : undefined),
  async copy(home, id) {
    const found = linesIn(home).filter((line) => idOf(line) === id);
    return found.length === 0 ? undefined : found.join('\n');
  },
  async takeOut(home, id) {
    const left = linesIn(home).filter((line) => idOf(line) !== id);
    if (left.length !== linesIn(home).length) write(home, left);
  },
  async putBack(home, id, copy) {
    const lines = linesIn(home);
    const missing = copy.split('\n').filter((line) => !lines.includes(line));
    if (missing.length > 0) write(home, [...lines, ...missing].toSorted());
  },
};

function linesIn(home: string): string[] {
  const path = join(home, 'index.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

function idOf(line: string): unknown {
  return (JSON.parse(line) as { id?: unknown }).id;
}

function write(home: string, lines: readonly string[]): void {
  writeFileAtomic(join(home, 'index.jsonl'), lines.map((line) => `${line}\n`).join(''));
}
