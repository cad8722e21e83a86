import { spawn } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY_MS, type EpochMs, HOUR_MS, isoTime } from '../../src/core/time.ts';
import { isThere } from '../../src/platform/files/is-there.ts';
import { FILE_NOW, type FileHomeScene, jsonLines, putFile } from './file-home-scene.ts';

export interface CopilotSpec {
  readonly id: string;
  readonly prompts?: readonly string[];
  readonly name?: string;
  readonly daysAgo?: number;
  /** Of the form of its events. */
  readonly version?: number;
  /** The id that its first event names, where that is another one. */
  readonly named?: string;
}

/** Ids of which only the end differs. */
export const copilotId = (end: string) => `01a1de37-dca5-4193-9790-${end.padStart(12, '0')}`;

export function copilotUsedAt({ daysAgo = 40 }: CopilotSpec): EpochMs {
  return FILE_NOW - daysAgo * DAY_MS;
}

/** The events of a session as Copilot CLI 1.0 writes them. */
export function copilotEvents(spec: CopilotSpec): object[] {
  const { id, named = id, version = 1, prompts = ['What does this project do?'] } = spec;
  const at = copilotUsedAt(spec);
  const timestamp = isoTime(at - HOUR_MS);
  const context = { cwd: '/home/ada/greeter', branch: 'main' };
  const data = {
    sessionId: named,
    version,
    producer: 'copilot-agent',
    copilotVersion: '1.0.102',
    startTime: timestamp,
    context,
  };
  const start = { type: 'session.start', data, id: `${id}-start`, timestamp, parentId: null };
  return [start, ...prompts.flatMap((prompt, turn) => copilotTurn(id, prompt, at + turn))];
}

export function copilotTurn(id: string, prompt: string, at: EpochMs): object[] {
  const rest = { timestamp: isoTime(at), parentId: `${id}-start` };
  const usage = {
    model: 'claude-sonnet-4.5',
    inputTokens: 650,
    outputTokens: 7,
    cacheReadTokens: 100,
    cacheWriteTokens: 50,
  };
  return [
    { type: 'user.message', data: { content: prompt }, id: `${id}-${at}-p`, ...rest },
    {
      type: 'session.usage_record',
      data: { usage: { ...usage, apiCallId: `${id}-${at}` } },
      id: `${id}-${at}-u`,
      ...rest,
    },
    {
      type: 'assistant.message',
      data: { content: `An answer to: ${prompt}`, model: usage.model },
      id: `${id}-${at}-a`,
      ...rest,
    },
  ];
}

/** Writes a session with all that its folder has. */
export function putCopilot(home: string, spec: CopilotSpec): void {
  const { id, name = `Session ${id}` } = spec;
  const put = (path: string, content: string) =>
    putFile(home, `session-state/${id}/${path}`, content, copilotUsedAt(spec));
  put('events.jsonl', jsonLines(copilotEvents(spec)));
  put('workspace.yaml', `id: ${id}\ncwd: /home/ada/greeter\nname: ${name}\n`);
  put('.workspace-fork.lock', '');
  put('checkpoints/index.md', '# Checkpoints\n');
  put('rewind-file-snapshots/index.json', '{"schema":1,"snapshots":[]}');
  put('rewind-file-snapshots/backups/a55c14346b5c0e11', 'print("Hello")\n');
  mkdirSync(join(home, 'session-state', id, 'research'));
  putFile(home, `session-state/.session-operation-locks/${id}.lock`, '', copilotUsedAt(spec));
}

/** What a program leaves that has a session, or had it when it was killed. */
export function markCopilot(
  home: string,
  id: string,
  { pid, at, hold = true }: { pid: number; at: EpochMs; hold?: boolean },
): void {
  putFile(home, `session-state/${id}/inuse.${pid}.lock`, String(pid), at);
  if (hold) putFile(home, `session-state/${id}/inuse.${pid}.hold`, '', at);
}

/** Holds the lock of a session as a running program does, until it is ended. */
export function holdCopilot(home: string, id: string): Disposable {
  const at = FILE_NOW - 40 * DAY_MS;
  markCopilot(home, id, { pid: process.pid, at });
  const file = join(home, `session-state/${id}/inuse.${process.pid}.hold`);
  const ready = join(dirname(home), `held-${id}`);
  const child = spawn('flock', ['-n', '-F', file, 'sh', '-c', `touch '${ready}'; exec sleep 60`], { stdio: 'ignore' });
  const deadline = Date.now() + 10_000;
  while (!isThere(ready)) if (Date.now() > deadline) throw new Error('the lock was not taken');
  return { [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

const PLAIN: CopilotSpec = { id: copilotId('1'), name: 'Plain hello' };
const TWO: CopilotSpec = { id: copilotId('2'), daysAgo: 41, prompts: ['One', 'Two'] };
const TORN: CopilotSpec = { id: copilotId('3'), daysAgo: 42 };
/** Its program was killed. */
const KILLED: CopilotSpec = { id: copilotId('4'), daysAgo: 43 };
/** Another process has the number of the one that had it. */
const RECYCLED: CopilotSpec = { id: copilotId('5'), daysAgo: 44 };
const TODAY: CopilotSpec = { id: copilotId('6'), daysAgo: 0.2 };
const NEWER: CopilotSpec = { id: copilotId('7'), version: 2 };
const LINKED: CopilotSpec = { id: copilotId('8') };
const WITH_LINK: CopilotSpec = { id: copilotId('9') };
const ANOTHER: CopilotSpec = { id: copilotId('a'), named: copilotId('b') };
const DAMAGED: CopilotSpec = { id: copilotId('c') };
const ALL = [PLAIN, TWO, TORN, KILLED, RECYCLED, TODAY, NEWER, LINKED, WITH_LINK, ANOTHER, DAMAGED];

/** A home of Copilot CLI with every trap that it can set. */
export const copilotScene: FileHomeScene = {
  build(home) {
    for (const spec of ALL) putCopilot(home, spec);
    const old = FILE_NOW - 50 * DAY_MS;
    appendFileSync(eventsOf(home, TORN.id), '{"type":"assistant.mess');
    utimesSync(eventsOf(home, TORN.id), old / 1000, old / 1000);
    markCopilot(home, KILLED.id, { pid: 2 ** 22 + 1, at: old });
    markCopilot(home, RECYCLED.id, { pid: process.pid, at: old, hold: process.platform !== 'linux' });
    writeFileSync(eventsOf(home, DAMAGED.id), 'no JSON at all\n');
    utimesSync(eventsOf(home, DAMAGED.id), old / 1000, old / 1000);
    linkSync(eventsOf(home, LINKED.id), join(dirname(home), 'backup.jsonl'));
    symlinkSync('/etc/hostname', join(home, `session-state/${WITH_LINK.id}/files`));
    symlinkSync(dirname(home), join(home, 'session-state/linked'));
    const put = (path: string, content = 'mine') => putFile(home, path, content, old);
    put(`session-state/${copilotId('d')}/workspace.yaml`, `id: ${copilotId('d')}\n`);
    put('session-state/notes.txt');
    put('config.json', '{}');
    put('logs/process-1794729211186-15687.log');
    put('command-history-state/history.json', '[]');
    put('surprise.bin');
  },
  removable: [PLAIN.id, TWO.id, TORN.id, KILLED.id, RECYCLED.id],
  held: [TODAY.id, NEWER.id, LINKED.id, WITH_LINK.id, ANOTHER.id, DAMAGED.id],
  change: (home, id) =>
    appendFileSync(eventsOf(home, id), jsonLines(copilotTurn(id, 'One more', FILE_NOW - 2 * DAY_MS))),
  uses: { active: holdCopilot },
};

function eventsOf(home: string, id: string): string {
  return join(home, 'session-state', id, 'events.jsonl');
}
