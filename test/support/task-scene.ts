import { linkSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../src/core/time.ts';
import { FILE_NOW, type FileHomeScene, putFile } from './file-home-scene.ts';

export interface TaskSpec {
  readonly id: string;
  readonly asked?: string;
  readonly daysAgo?: number;
  readonly parent?: string;
  readonly favourite?: true;
  /** Older versions noted nothing of a task in its own folder. */
  readonly plain?: true;
  /** A large one, in the middle of the talk. */
  readonly picture?: true;
  /** Its talk, where it is not as it should be. */
  readonly talk?: string;
}

/** What a task says of itself in lists, and in its folder where newer versions wrote it. */
export function taskItem(spec: TaskSpec): object {
  const { id, asked = `Question ${id}`, parent, favourite } = spec;
  return {
    id,
    number: 1,
    ts: startOf(spec) + HOUR_MS,
    task: asked,
    tokensIn: 1000,
    tokensOut: 40,
    totalCost: 0.0011,
    workspace: '/home/ada/work/greeter',
    ...(parent !== undefined && { parentTaskId: parent }),
    ...(favourite && { isFavorited: true }),
  };
}

function startOf({ daysAgo = 40 }: TaskSpec): EpochMs {
  return FILE_NOW - daysAgo * DAY_MS;
}

function talkOf(spec: TaskSpec): object[] {
  const { id, asked = `Question ${id}` } = spec;
  const ts = startOf(spec);
  const text = `<task>\n${asked}\n</task>`;
  const picture = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo='.repeat(9000) },
  };
  return [
    { role: 'user', content: spec.picture ? [{ type: 'text', text }, picture] : text, ts },
    { role: 'assistant', content: [{ type: 'text', text: `An answer to ${asked}` }], ts: ts + 1000 },
  ];
}

function windowOf(spec: TaskSpec): object[] {
  const ts = startOf(spec);
  const request = { tokensIn: 1000, tokensOut: 40, cacheReads: 200, cacheWrites: 0, cost: 0.0011 };
  return [
    { ts, type: 'say', say: 'text', text: spec.asked ?? '' },
    { ts: ts + 1, type: 'say', say: 'api_req_started', text: JSON.stringify(request) },
  ];
}

/** A task as such an extension writes one, with a repository of checkpoints of its own. */
export function putTask(home: string, spec: TaskSpec): void {
  const at = startOf(spec) + HOUR_MS;
  const put = (name: string, content: string) => putFile(home, `tasks/${spec.id}/${name}`, content, at);
  put('api_conversation_history.json', spec.talk ?? JSON.stringify(talkOf(spec)));
  put('ui_messages.json', JSON.stringify(windowOf(spec)));
  put('task_metadata.json', '{"files_in_context":[]}');
  if (spec.plain) return;
  put('history_item.json', JSON.stringify(taskItem(spec)));
  put('checkpoints/.git/HEAD', 'ref: refs/heads/master\n');
  put('checkpoints/.git/objects/ab/cdef', 'not really an object');
  mkdirSync(join(home, 'tasks', spec.id, 'checkpoints', '.git', 'refs', 'tags'), { recursive: true });
}

// Eight letters in common: nothing may go by the beginning of an id.
const id = (end: string) => `01a1de37-dca5-7193-9790-${end.padStart(12, '0')}`;
const OLD: TaskSpec = { id: '1787961600000', asked: 'Long ago', plain: true, daysAgo: 33.5 };
const PLAIN: TaskSpec = { id: id('1') };
const PARENT: TaskSpec = { id: id('2'), daysAgo: 42 };
const CHILD: TaskSpec = { id: id('3'), parent: PARENT.id, daysAgo: 41 };
const NEXT: TaskSpec = { id: id('4'), daysAgo: 39, picture: true };
const MARKED: TaskSpec = { id: id('5'), favourite: true };
const LISTED: TaskSpec = { id: id('6'), plain: true };
const TODAY: TaskSpec = { id: id('7'), daysAgo: 0.2 };
const TORN: TaskSpec = { id: id('8'), talk: '[{"role":"user","content":[{"type":"te' };
const NO_JSON: TaskSpec = { id: id('9') };
const WITH_LINK: TaskSpec = { id: id('a') };
const LINKED: TaskSpec = { id: id('b') };
const ALL = [OLD, PLAIN, PARENT, CHILD, NEXT, MARKED, LISTED, TODAY, TORN, NO_JSON, WITH_LINK, LINKED];

export const TASK_IDS = { plain: PLAIN.id, child: CHILD.id, parent: PARENT.id, next: NEXT.id, listed: LISTED.id };

/** A home of tasks with every trap that it can set. `indexed` has a list of all of them, as Roo Code keeps one. */
export function taskScene(indexed: boolean): FileHomeScene {
  return {
    build(home) {
      for (const spec of ALL) putTask(home, spec);
      const old = FILE_NOW - 50 * DAY_MS;
      // Somebody was killed while it was written.
      putFile(home, `tasks/${NO_JSON.id}/history_item.json`, '{"id":"01a1de37', old);
      putFile(home, 'tasks/1787961600001/ui_messages.json', '[]', old);
      putFile(home, 'tasks/notes.txt', 'mine', old);
      putFile(home, 'settings/mcp_settings.json', '{}', old);
      putFile(home, 'checkpoints/1a2b/.git/HEAD', 'ref: refs/heads/task-1\n', old);
      putFile(home, 'something/else.bin', 'x', old);
      putFile(dirname(home), 'elsewhere/api_conversation_history.json', '[]', old);
      symlinkSync(join(dirname(home), 'elsewhere'), join(home, 'tasks', 'linked'));
      symlinkSync('/etc/hostname', join(home, 'tasks', WITH_LINK.id, 'link'));
      linkSync(join(home, `tasks/${LINKED.id}/ui_messages.json`), join(dirname(home), 'other-name.json'));
      putList(home, indexed, old);
    },
    removable: [CHILD.id, OLD.id, PLAIN.id, NEXT.id],
    held: [PARENT, MARKED, LISTED, TODAY, TORN, NO_JSON, WITH_LINK, LINKED].map((spec) => spec.id),
    change(home, task) {
      const path = join(home, 'tasks', task, 'api_conversation_history.json');
      const talk = JSON.parse(readFileSync(path, 'utf8')) as object[];
      writeFileSync(path, JSON.stringify([...talk, { role: 'user', content: 'One more' }]));
    },
    uses: {
      // It leaves no other trace: it writes its files anew, and closes them.
      active(home, task) {
        const path = join(home, 'tasks', task, 'ui_messages.json');
        utimesSync(path, FILE_NOW / 1000, (FILE_NOW - HOUR_MS) / 1000);
      },
    },
    shared: (path) => path === 'tasks/_index.json',
  };
}

/** Newest first. What is marked in the list alone is marked as well. */
function putList(home: string, indexed: boolean, at: EpochMs): void {
  const items = ALL.toSorted((a, b) => startOf(b) - startOf(a)).map((spec) =>
    taskItem(spec === LISTED ? { ...spec, favourite: true } : spec),
  );
  const index = { version: 1, updatedAt: at, entries: items };
  if (indexed) putFile(home, 'tasks/_index.json', JSON.stringify(index), at);
  else putFile(home, 'state/taskHistory.json', JSON.stringify(items, undefined, 2), at);
}
