import { appendFileSync, existsSync, linkSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY_MS, isoTime } from '../../src/core/time.ts';
import { holdLock } from '../../src/platform/locks/hold-lock.ts';
import { walkTree } from '../../src/platform/files/walk-tree.ts';
import { putDatabases } from './codex-databases.ts';
import { codexId, putRollout, type RolloutSpec, rolloutPath, turnOf } from './codex-home.ts';
import { FILE_NOW, type FileHomeScene, jsonLines, putFile } from './file-home-scene.ts';

const OLD = FILE_NOW - 40 * DAY_MS;

const PLAIN: RolloutSpec = { id: codexId('1') };
const BASE: RolloutSpec = { id: codexId('2'), prompts: ['One', 'Two'] };
const FORK: RolloutSpec = { id: codexId('3'), prompts: ['Three'], base: BASE.id, daysAgo: 39 };
const BEFORE: RolloutSpec = { id: codexId('4'), prompts: ['First', 'Second'] };
const AFTER: RolloutSpec = { ...BEFORE, rollout: codexId('40'), prompts: ['Third'], base: BEFORE.id, daysAgo: 39 };
const PARENT: RolloutSpec = { id: codexId('5') };
const CHILD: RolloutSpec = { id: codexId('6'), spawnedBy: PARENT.id };
const ARCHIVED: RolloutSpec = { id: codexId('7'), archived: true, compressed: true };
const BOTH: RolloutSpec = { id: codexId('8') };
const TORN: RolloutSpec = { id: codexId('9') };
/** Was killed: the file of its lock is there, and nobody holds it. */
const STALE: RolloutSpec = { id: codexId('a') };
const TODAY: RolloutSpec = { id: codexId('b'), daysAgo: 40 };
const PINNED: RolloutSpec = { id: codexId('c') };
const DAMAGED: RolloutSpec = { id: codexId('d') };
const LINKED: RolloutSpec = { id: codexId('e') };
const WRONG: RolloutSpec = { id: codexId('f'), saysId: codexId('ff') };
const TWICE: RolloutSpec = { id: codexId('10') };

export const CODEX_IDS = {
  plain: PLAIN.id,
  base: BASE.id,
  fork: FORK.id,
  reverted: BEFORE.id,
  parent: PARENT.id,
  child: CHILD.id,
  archived: ARCHIVED.id,
  both: BOTH.id,
  stale: STALE.id,
  pinned: PINNED.id,
  damaged: DAMAGED.id,
  wrong: WRONG.id,
  twice: TWICE.id,
} as const;

/** A home of Codex with every trap that it can set. */
export const codexScene: FileHomeScene = {
  build(home) {
    const rollouts = [PLAIN, BASE, FORK, BEFORE, AFTER, PARENT, CHILD, ARCHIVED, BOTH, TORN, STALE, PINNED, LINKED];
    for (const spec of [...rollouts, WRONG, TWICE, { ...TWICE, daysAgo: 38 }]) putRollout(home, spec);
    putRollout(home, { ...BOTH, compressed: true });
    putRollout(home, TODAY, FILE_NOW - 1000);
    putFile(home, rolloutPath(DAMAGED), 'no JSON at all\n', OLD);
    appendFileSync(join(home, rolloutPath(TORN)), '{"timestamp":"2026-08-22T12:');
    utimesSync(join(home, rolloutPath(TORN)), OLD / 1000, OLD / 1000);
    putBeside(home);
    const rows = [...rollouts, TODAY].filter(({ rollout }) => rollout === undefined);
    putDatabases(
      home,
      rows.map((spec) => ({
        id: spec.id,
        path: rolloutPath(spec === BEFORE ? AFTER : spec).replace(/\.zst$/, ''),
        title: spec.prompts?.[0] ?? 'What does it do?',
        archived: spec.archived === true,
        pinned: spec === PINNED,
        ...(spec === BEFORE && { rollouts: [BEFORE.id, codexId('40')] }),
        ...(spec.spawnedBy !== undefined && { parentId: spec.spawnedBy }),
      })),
    );
    // Its only copy has another name outside of the home.
    linkSync(join(home, rolloutPath(LINKED)), join(dirname(home), 'backup.jsonl'));
    mkdirSync(join(dirname(home), 'elsewhere'));
    putFile(dirname(home), 'elsewhere/mine.sh', 'echo mine', OLD);
    symlinkSync(join(dirname(home), 'elsewhere'), join(home, 'shell_snapshots/linked'));
  },
  removable: [FORK.id, PLAIN.id, BEFORE.id, CHILD.id, PARENT.id, ARCHIVED.id, BOTH.id, TORN.id, STALE.id],
  held: [BASE.id, TODAY.id, PINNED.id, DAMAGED.id, LINKED.id, WRONG.id, TWICE.id],
  change(home, id) {
    unpack(home, id);
    appendFileSync(fileOf(home, id), jsonLines(turnOf({ id }, 'One more', FILE_NOW)));
  },
  uses: { active: (home, id) => hold(home, id) },
  databases: (path) => path.endsWith('.sqlite'),
  secret: (path) => /^shell_snapshots\/[^/]+\.sh$/.test(path),
};

/** What Codex keeps beside rollouts and rows. */
function putBeside(home: string): void {
  const names = [
    { id: PLAIN.id, thread_name: 'First name', updated_at: isoTime(OLD) },
    { id: BASE.id, thread_name: 'The base', updated_at: isoTime(OLD + 1) },
    { id: PLAIN.id, thread_name: 'About the greeter', updated_at: isoTime(OLD + 2) },
  ];
  putFile(home, 'session_index.jsonl', jsonLines(names), OLD);
  putFile(home, 'session_index.jsonl.lock', '', OLD);
  const prompts = [PLAIN, BEFORE, TODAY, PLAIN, BEFORE].map(({ id }, at) => {
    return { session_id: id, ts: OLD / 1000 + at, text: `prompt ${at} ü` };
  });
  putFile(home, 'history.jsonl', jsonLines(prompts), OLD);
  for (const name of ['.coordination', STALE.id]) putFile(home, `thread-writer-locks/${name}.lock`, '', OLD);
  for (const { id } of [PLAIN, STALE, TODAY, { id: codexId('9999') }])
    putFile(home, `shell_snapshots/${id}.1794728800710390771.sh`, 'export KEY=secret', OLD);
  putFile(home, `generated_images/${PLAIN.id}/ig_1.png`, 'PNG', OLD);
  putFile(home, `generated_images/${codexId('9999')}/ig_1.png`, 'PNG', OLD);
  putFile(home, '.tmp/rollout-maintenance.lock', '', OLD);
  putFile(home, 'config.toml', 'model = "stub-model"\n', OLD);
  putFile(home, 'auth.json', '{}', OLD);
  putFile(home, 'log/codex-tui.log', 'said\n', OLD);
  putFile(home, 'sessions/2026/08/22/notes.txt', 'mine', OLD);
  putFile(home, 'mine/state.db', 'mine', OLD);
}

/** As a process of Codex does with a thread that it has loaded. */
function hold(home: string, id: string): Disposable {
  const path = `thread-writer-locks/${id}.lock`;
  if (!existsSync(join(home, path))) putFile(home, path, '', OLD);
  const held = holdLock(join(home, path));
  if (typeof held === 'string') throw new Error(`the lock of ${id} cannot be taken: ${held}`);
  return held;
}

/** Codex goes on with a thread in a plain file, and takes the compressed one away. */
function unpack(home: string, id: string): void {
  const path = fileOf(home, id);
  if (!path.endsWith('.zst')) return;
  putRollout(home, { ...ARCHIVED, compressed: false });
  rmSync(path);
}

/** The rollout that a thread goes on in. */
function fileOf(home: string, id: string): string {
  const paths = [...walkTree(home, { skips: (each) => each === '.coppice' })].map(({ path }) => path);
  const own = paths.filter((path) => path.includes(`-${id}`) && /rollout-.*\.jsonl(\.zst)?$/.test(path));
  const plain = own.filter((path) => !path.endsWith('.zst'));
  const found = plain.toSorted((a, b) => b.length - a.length)[0] ?? own[0];
  if (found === undefined) throw new Error(`no thread ${id}`);
  return join(home, found);
}
