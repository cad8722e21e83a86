import { linkSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/core/json.ts';
import { DAY_MS, type EpochMs } from '../../src/core/time.ts';
import { ownPidDomain } from '../../src/homes/claude-code/claude-registry.ts';
import type { HomeTree, TreeFile } from '../../src/keeping/file-home/home-tree.ts';
import { walkTree } from '../../src/platform/files/walk-tree.ts';
import { findProcess } from '../../src/platform/machine/find-process.ts';
import { claudeLines } from './claude-lines.ts';

export const CLAUDE_NOW = Date.parse('2026-11-15T12:00:00Z');
export const LONG_AGO = CLAUDE_NOW - 10 * DAY_MS;

/** An id as Claude Code gives them, from a hexadecimal digit. */
export function claudeId(digit: string): string {
  return [8, 4, 4, 4, 12].map((length, at) => ['', '', '4', '8', ''][at]?.padEnd(length, digit)).join('-');
}

/** What a session has in the home besides its conversation. */
export interface ClaudeSessionOptions {
  readonly folder?: string;
  readonly at?: EpochMs;
  readonly lines?: readonly JsonObject[];
  /** The text of its file, in place of lines. */
  readonly text?: string;
  /** By name and by what each of them says. */
  readonly subagents?: Readonly<Record<string, readonly JsonObject[]>>;
  /** Stores in which it has something. */
  readonly stores?: readonly ClaudeStore[];
  readonly prompts?: readonly string[];
}

export type ClaudeStore = keyof typeof STORES;

/** Where each store keeps what it has of a session, below the home. */
const STORES = {
  outputs: (id: string, folder: string) => `projects/${folder}/${id}/tool-results/b1.txt`,
  title: (id: string, folder: string) => `projects/${folder}/${id}/custom-title.json`,
  history: (id: string) => `file-history/${id}/a409efec87c7f4ab@v1`,
  tasks: (id: string) => `tasks/${id}/1.json`,
  environment: (id: string) => `session-env/${id}/hook-0.sh`,
  debug: (id: string) => `debug/${id}.txt`,
  todos: (id: string) => `todos/${id}-agent-${id}.json`,
} as const;

export const CLAUDE_STORES = Object.keys(STORES) as ClaudeStore[];

const FOLDER = '-work-demo';

/** Writes a home as Claude Code does, with all that its driver has to tell apart. Nothing is there until it is asked for. */
export function claudeHome(home: string) {
  mkdirSync(join(home, 'projects'), { recursive: true });
  mkdirSync(join(home, 'sessions'), { recursive: true });
  const write = (path: string, text: string, at: EpochMs = LONG_AGO): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    utimesSync(join(home, path), at / 1000, at / 1000);
  };
  const session = (id: string, options: ClaudeSessionOptions = {}): void => {
    const { folder = FOLDER, at = LONG_AGO, stores = [], subagents = {} } = options;
    const said = claudeLines(id, dayOf(at));
    const { lines = [said.user(`Hello ${id}`), said.text(`m-${id}`, 'Hello.')] } = options;
    write(`projects/${folder}/${id}.jsonl`, options.text ?? linesText(lines), at);
    for (const [agent, told] of Object.entries(subagents)) {
      write(`projects/${folder}/${id}/subagents/${agent}.jsonl`, linesText(told), at);
      write(`projects/${folder}/${id}/subagents/${agent}.meta.json`, '{"description":"List functions"}', at);
    }
    for (const store of stores) write(STORES[store](id, folder), CONTENTS[store] ?? `${store} of ${id}\n`, at);
  };
  return {
    home,
    write,
    session,
    /** Lines of the prompt history, in the order given: the session and what was typed. */
    prompts(typed: readonly (readonly [id: string, text: string])[], at: EpochMs = LONG_AGO): void {
      write('history.jsonl', typed.map(([id, text], n) => promptLine(id, text, at + n * 1000)).join(''), at);
    },
    /** What a running program tells of itself. */
    register(sessionId: string, fields: JsonObject = {}): void {
      const pid = typeof fields['pid'] === 'number' ? fields['pid'] : process.pid;
      const procStart = findProcess(pid)?.startedAt ?? '1';
      const told = { pid, sessionId, procStart, pidDomain: ownPidDomain(), status: 'idle', version: '2.1.325' };
      write(`sessions/${pid}.json`, JSON.stringify({ ...told, ...fields }), CLAUDE_NOW);
    },
    /** The same file under another name, as a fork of a session has the files that were saved before. */
    share(from: string, to: string): void {
      mkdirSync(dirname(join(home, to)), { recursive: true });
      linkSync(join(home, from), join(home, to));
    },
  };
}

const CONTENTS: Readonly<Partial<Record<ClaudeStore, string>>> = { title: '{"customTitle":"Renamed"}\n' };

export function linesText(lines: readonly JsonObject[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

export function promptLine(sessionId: string, display: string, timestamp: EpochMs): string {
  return `${JSON.stringify({ display, pastedContents: {}, timestamp, project: '/work/demo', sessionId })}\n`;
}

export function dayOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** A home as one look at it finds it. */
export function treeOf(home: string): HomeTree {
  const files = new Map<string, TreeFile>();
  const folders = new Set<string>();
  const odd: string[] = [];
  const unreadable: string[] = [];
  for (const entry of walkTree(home)) {
    if (entry.kind === 'file') files.set(entry.path, entry);
    else if (entry.kind === 'dir') folders.add(entry.path);
    else if (entry.kind === 'unreadable') unreadable.push(entry.path);
    else odd.push(entry.path);
  }
  return { home, files, folders, odd, unreadable };
}
