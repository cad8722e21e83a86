import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY_MS, type EpochMs } from '../../src/core/time.ts';
import { FILE_NOW, type FileHomeScene, jsonLines, putFile } from './file-home-scene.ts';

export interface SampleSpec {
  readonly id: string;
  readonly prompts?: readonly string[];
  readonly calls?: readonly string[];
  readonly parent?: string;
  readonly workdir?: string;
  readonly daysAgo?: number;
  /** What it has beside its conversation. */
  readonly with?: readonly ('second' | 'folder' | 'log' | 'key' | 'line')[];
}

export function putSample(home: string, spec: SampleSpec): void {
  const { id, prompts = ['Hello'], calls = [], parent, workdir = '/srv/one', daysAgo = 40 } = spec;
  const at = FILE_NOW - daysAgo * DAY_MS;
  const first = [{ workdir, ...(parent !== undefined && { parent }) }];
  const said = prompts.map((text, turn) => ({ role: 'user', text, at: at + turn }));
  const answers = (calls.length > 0 ? calls : [`call of ${id}`]).map((call) => ({
    role: 'assistant',
    text: 'Yes',
    at,
    call,
  }));
  put(home, `chats/${id}.jsonl`, jsonLines([...first, ...said, ...answers]), at);
  const has = new Set(spec.with);
  if (has.has('second'))
    put(home, `chats/${id}.2.jsonl`, jsonLines([{ role: 'user', text: 'And then?', at: at + 9 }]), at);
  if (has.has('folder')) {
    put(home, `work/${id}/notes.md`, `# ${id}`, at - 5000);
    put(home, `work/${id}/deep/er/image.png`, Buffer.from([0x89, 0x50, 0, 0xff]), at - 4321);
    chmodSync(join(home, `work/${id}/deep`), 0o750);
    utimesSync(join(home, `work/${id}/deep`), 1_700_000_000, 1_700_000_000.25);
  }
  if (has.has('log')) put(home, `logs/${id}.txt`, 'output\n'.repeat(700), at);
  if (has.has('key')) put(home, `keys/${id}`, 'secret', at);
  if (has.has('line')) addLine(home, id);
}

/** The agent keeps its index in order. */
function addLine(home: string, id: string): void {
  const path = join(home, 'index.jsonl');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const all = [...lines, JSON.stringify({ id, title: `Title of ${id}` })].toSorted();
  writeFileSync(path, all.map((line) => `${line}\n`).join(''), { mode: 0o600 });
}

const put = (home: string, path: string, content: string | Uint8Array, at: EpochMs) => putFile(home, path, content, at);

const ALL = ['second', 'folder', 'log', 'key', 'line'] as const;
const NASTY = 'x ü\'"$(id)%2e%2e';

/** A home of the sample agent with one of everything, and traps. */
export const sampleScene: FileHomeScene = {
  build(home) {
    mkdirSync(home, { mode: 0o700 });
    for (const id of ['alone', 'open', 'pinned', NASTY]) putSample(home, { id, with: ALL });
    putSample(home, { id: 'root', with: ['folder', 'line'] });
    putSample(home, { id: 'tip', parent: 'root', with: ['log', 'line'] });
    putSample(home, { id: 'bare' });
    for (const id of ['linked', 'trapped']) putSample(home, { id, with: ['folder'] });
    put(home, 'work/gone/left.txt', 'nobody knows it', FILE_NOW - 60 * DAY_MS);
    put(home, 'chats/half.jsonl.tmp', '{"role":', FILE_NOW - 60 * DAY_MS);
    put(home, 'open.json', '["open"]', FILE_NOW);
    put(home, 'odd/mine.txt', 'mine', FILE_NOW);
    linkSync(join(home, 'work/linked/notes.md'), join(dirname(home), 'other-name'));
    symlinkSync('/etc', join(home, 'work/trapped/deep/link'));
  },
  removable: ['tip', 'root', 'alone', NASTY, 'bare'],
  held: ['open', 'pinned', 'linked', 'trapped'],
  change: (home, id) =>
    appendFileSync(join(home, `chats/${id}.jsonl`), jsonLines([{ role: 'user', text: 'More', at: 1 }])),
  uses: { active: (home, id) => writeFileSync(join(home, 'open.json'), JSON.stringify(['open', id])) },
  shared: (path) => path === 'index.jsonl' || path === 'open.json',
  secret: (path) => path.startsWith('keys/'),
  spares: true,
  continues: true,
};
