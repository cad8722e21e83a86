import { appendFileSync, linkSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY_MS, type EpochMs, HOUR_MS, isoTime } from '../../src/core/time.ts';
import { walkTree } from '../../src/platform/files/walk-tree.ts';
import { FILE_NOW, type FileHomeScene, jsonLines, putFile } from './file-home-scene.ts';

const PROJECT = '--home-ada-work-greeter--';
const WORKDIR = '/home/ada/work/greeter';

export interface PiSpec {
  readonly id: string;
  readonly prompts?: readonly string[];
  readonly name?: string;
  /** The one it was forked from, all of whose lines it repeats. */
  readonly fork?: PiSpec;
  readonly daysAgo?: number;
  readonly version?: number;
  readonly workdir?: string;
  readonly folder?: string;
}

/** A session as pi 0.87 writes one: a header, the settings, the prompt of the system, then what was said. */
export function piLines(spec: PiSpec): readonly object[] {
  const { id, version = 3, workdir = WORKDIR, fork, name } = spec;
  const at = startOf(spec);
  const parentSession = fork && join('/home/ada/.pi/agent', pathOf(fork));
  const header = { type: 'session', version, id, timestamp: isoTime(at), cwd: workdir };
  const said = fork === undefined ? beginning(at) : piLines(fork).slice(1);
  return [
    { ...header, ...(parentSession !== undefined && { parentSession }) },
    ...said,
    ...(spec.prompts ?? ['What does this project do?']).flatMap((prompt, turn) => turnOf(id, prompt, at + turn * 1000)),
    ...(name === undefined ? [] : [{ type: 'session_info', id: '5e551014', timestamp: isoTime(at), name }]),
  ];
}

function beginning(at: EpochMs): readonly object[] {
  const timestamp = isoTime(at);
  return [
    { type: 'model_change', id: '0c956056', parentId: null, timestamp, provider: 'stub', modelId: 'stub-model' },
    { type: 'thinking_level_change', id: '8f7cd6f5', parentId: '0c956056', timestamp, thinkingLevel: 'medium' },
    { type: 'message', id: '4dfcfff8', timestamp, message: { role: 'system', sections: { preamble: 'Be brief.' } } },
  ];
}

function turnOf(id: string, prompt: string, at: EpochMs): readonly object[] {
  const timestamp = isoTime(at);
  const usage = { input: 1000, output: 240, cacheRead: 0, cacheWrite: 0, cost: { total: 0.0011 } };
  const content = [{ type: 'text', text: `An answer to: ${prompt}` }];
  return [
    {
      type: 'message',
      id: 'aaaa0001',
      timestamp,
      message: { role: 'user', content: [{ type: 'text', text: prompt }] },
    },
    {
      type: 'message',
      id: 'aaaa0002',
      timestamp,
      message: { role: 'assistant', content, model: 'stub-model', usage, responseId: `call-${id}-${at}` },
    },
  ];
}

function startOf({ daysAgo = 40 }: PiSpec): EpochMs {
  return FILE_NOW - daysAgo * DAY_MS;
}

/** Where pi keeps it. */
export function pathOf(spec: PiSpec): string {
  const { id, folder = PROJECT } = spec;
  return `sessions/${folder}/${isoTime(startOf(spec)).replace(/[:.]/g, '-')}_${id}.jsonl`;
}

export function putPi(home: string, spec: PiSpec): void {
  putFile(home, pathOf(spec), jsonLines(piLines(spec)), startOf(spec) + HOUR_MS);
}

const id = (end: string) => `01a1de37-dca5-7193-9790-${end.padStart(12, '0')}`;
const PLAIN: PiSpec = { id: id('1') };
const PARENT: PiSpec = { id: id('2'), prompts: ['One', 'Two'], name: 'Greeter chat' };
const FORK: PiSpec = { id: id('3'), prompts: ['Three'], fork: PARENT, daysAgo: 39 };
const NAMED: PiSpec = { id: id('4'), name: 'First name' };
const TORN: PiSpec = { id: id('5') };
const ELSEWHERE: PiSpec = { id: id('6'), folder: '--srv-ü ber--', workdir: '/srv/ü ber' };
const TODAY: PiSpec = { id: id('7'), daysAgo: 0.2 };
const NEWER: PiSpec = { id: id('8'), version: 4 };
const LINKED: PiSpec = { id: id('9') };

export const PI_IDS = {
  plain: PLAIN.id,
  parent: PARENT.id,
  fork: FORK.id,
  named: NAMED.id,
  torn: TORN.id,
  newer: NEWER.id,
  damaged: 'damaged',
} as const;

/** A home of pi with every trap that it can set. */
export const piScene: FileHomeScene = {
  build(home) {
    for (const spec of [PLAIN, PARENT, FORK, NAMED, TORN, ELSEWHERE, TODAY, NEWER, LINKED]) putPi(home, spec);
    // Somebody was killed in the middle of a line.
    appendFileSync(join(home, pathOf(TORN)), '{"type":"message","id":"bbbb');
    utimesSync(join(home, pathOf(TORN)), startOf(TORN) / 1000, startOf(TORN) / 1000);
    const old = FILE_NOW - 50 * DAY_MS;
    putFile(home, `sessions/${PROJECT}/2026-08-01T00-00-00-000Z_damaged.jsonl`, 'no JSON at all\n', old);
    putFile(home, `sessions/${PROJECT}/notes.txt`, 'mine', old);
    putFile(home, 'auth.json', '{}', old);
    putFile(home, 'settings.json', '{"lastChangelogVersion":"0.87.1"}', old);
    putFile(home, 'extensions/mine/index.ts', 'export {}', old);
    // Its only copy has another name outside of the home.
    linkSync(join(home, pathOf(LINKED)), join(dirname(home), 'backup.jsonl'));
    mkdirSync(join(dirname(home), 'elsewhere'));
    putFile(dirname(home), 'elsewhere/2026-08-01T00-00-00-000Z_outside.jsonl', jsonLines(piLines(PLAIN)), old);
    symlinkSync(join(dirname(home), 'elsewhere'), join(home, 'sessions/--linked--'));
  },
  removable: [FORK.id, PLAIN.id, NAMED.id, TORN.id, ELSEWHERE.id],
  held: [PARENT.id, TODAY.id, NEWER.id, LINKED.id, PI_IDS.damaged],
  change: (home, session) => appendFileSync(fileOf(home, session), jsonLines(turnOf(session, 'One more', FILE_NOW))),
  uses: {
    // It leaves no other trace: it opens a file, adds to it, and closes it.
    active: (home, session) => utimesSync(fileOf(home, session), FILE_NOW / 1000, (FILE_NOW - HOUR_MS) / 1000),
  },
};

function fileOf(home: string, session: string): string {
  for (const { path } of walkTree(home, { skips: (each) => each === '.coppice' }))
    if (path.endsWith(`_${session}.jsonl`)) return join(home, path);
  throw new Error(`no session ${session}`);
}
