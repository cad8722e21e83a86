import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../../src/app/sessions/session.ts';
import { DAY_MS, type EpochMs } from '../../src/core/time.ts';
import { type KnownSession, type Machine, nextDigest } from './machine.ts';

/** Something that happens at a time of a day. */
export interface Act {
  readonly at: EpochMs;
  readonly act: () => Promise<void>;
}

const PROJECTS = ['api', 'site', 'notes'];
const KEYS = ['telegram:1', 'telegram:2', 'slack:1', 'slack:2'];
/** Some are silent for weeks, and still expect to be known. */
const QUIET_KEYS = ['telegram:3', 'telegram:4', 'telegram:5', 'telegram:6'];

/** What everybody does on one day, in the order of the clock. */
export function actsOfDay(machine: Machine): readonly Act[] {
  const begins = machine.now;
  const at = (): EpochMs => begins + Math.floor(machine.random() * DAY_MS);
  const some = (most: number, act: () => Promise<void>) =>
    Array.from({ length: machine.whole(0, most) }, () => ({ at: at(), act }));
  return [
    ...slots(begins, machine.cronRuns).map((time) => ({ at: time, act: () => cronRun(machine) })),
    ...some(6, () => interactive(machine)),
    ...some(12, () => talk(machine, machine.pick(KEYS))),
    ...QUIET_KEYS.filter(() => machine.chance(1 / 14)).map((key) => ({ at: at(), act: () => talk(machine, key) })),
    ...some(2, () => delegate(machine)),
    ...some(2, () => checkpointOneOff(machine)),
    ...some(1, () => deliver(machine)),
  ].toSorted((one, other) => one.at - other.at);
}

function slots(begins: EpochMs, count: number): readonly EpochMs[] {
  return Array.from({ length: count }, (_, slot) => begins + Math.floor((slot * DAY_MS) / count));
}

/** A job every quarter of an hour that says little, and more than what counts as trivial. */
async function cronRun(machine: Machine): Promise<void> {
  const home = await machine.home();
  const session = await home.sessions.create({ source: 'cron', title: 'quarterly look' });
  const known = machine.know({ id: session.id, source: 'cron' });
  await say(machine, session, known, { messages: 6, words: 12 });
  await end(machine, session, known);
}

/** Somebody at a keyboard: some sessions are marked, some are left open, some hold a request for later. */
async function interactive(machine: Machine): Promise<void> {
  const home = await machine.home();
  const workdir = join(machine.root, 'work', machine.pick(PROJECTS));
  const session = await home.sessions.create({ source: 'cli', workdir, title: text(machine, 4) });
  const known = machine.know({ id: session.id, source: 'cli', workdir });
  await say(machine, session, known, { messages: machine.whole(0, 24), words: 60 });
  if (machine.chance(0.1)) await session.dump({ url: 'http://localhost/', body: text(machine, 200) });
  if (machine.chance(0.03)) {
    await session.pin();
    known.pinned = true;
  }
  if (machine.chance(0.03)) {
    await session.tag({ add: ['keep'] });
    known.tagged = true;
  }
  if (machine.chance(0.8)) await end(machine, session, known);
}

/** A message to somebody who is answered by a gateway, perhaps after days of silence. */
async function talk(machine: Machine, key: string): Promise<void> {
  const home = await machine.home();
  const [source = ''] = key.split(':');
  const answered = await home.gateway.resolve({ key, source });
  const before = machine.routes.get(key);
  if (before !== answered.id) {
    const left = before === undefined ? undefined : machine.sessions.get(before);
    if (left !== undefined) {
      left.endedAt ??= machine.now;
      left.related = true;
    }
    machine.know({ id: answered.id, source, related: before !== undefined });
    machine.routes.set(key, answered.id);
  }
  const known = machine.sessions.get(answered.id);
  if (known === undefined) throw new Error(`the gateway answers with ${answered.id}, which nobody made`);
  known.endedAt = undefined;
  known.letGoAt = undefined;
  for (const content of texts(machine, { messages: 2, words: 40 })) {
    await answered.append({ role: 'user', content });
    machine.noteMessage(known, content);
  }
}

/** A session that has others work for it. */
async function delegate(machine: Machine): Promise<void> {
  const home = await machine.home();
  const workdir = join(machine.root, 'work', machine.pick(PROJECTS));
  const parent = await home.sessions.create({ source: 'cli', workdir });
  const known = machine.know({ id: parent.id, source: 'cli', workdir, related: true });
  await say(machine, parent, known, { messages: 8, words: 40 });
  for (let child = 0; child < machine.whole(1, 3); child += 1) {
    const session = await home.sessions.create({
      source: 'subagent',
      parentId: parent.id,
      childKind: 'subagent',
      workdir,
    });
    const of = machine.know({ id: session.id, source: 'subagent', workdir, related: true });
    await say(machine, session, of, { messages: 10, words: 50 });
    await end(machine, session, of);
  }
  await end(machine, parent, known);
}

/** A folder for one task, saved before and after; some are thrown away, and some are worked in again. */
async function checkpointOneOff(machine: Machine): Promise<void> {
  const home = await machine.home();
  const there = machine.folders.filter(({ isThere }) => isThere);
  const isNew = there.length === 0 || machine.chance(0.6);
  const folder = isNew
    ? { path: join(machine.root, 'tasks', `task-${machine.folders.length}`), isThere: true, newest: undefined }
    : machine.pick(there);
  if (isNew) machine.folders.push(folder);
  mkdirSync(folder.path, { recursive: true });
  for (let file = 0; file < 3; file += 1)
    if (isNew || machine.chance(0.5))
      writeFileSync(join(folder.path, `file-${file}`), randomBytes(machine.whole(1, 300) * 1024));
  const taken = await home.checkpoints.take({ workdir: folder.path, automatic: true });
  if (taken.status === 'taken') {
    const digest = nextDigest('', readFileSync(join(folder.path, 'file-0'), 'latin1'));
    const bytes = readdirSync(folder.path).reduce((sum, name) => sum + statSync(join(folder.path, name)).size, 0);
    folder.newest = { id: taken.checkpoint.id, at: machine.now, digest, bytes };
  }
  await home.checkpoints.settled();
  if (!machine.chance(0.3)) return;
  rmSync(folder.path, { recursive: true });
  folder.isThere = false;
}

/** A job with a process of its own, whose output is delivered: its session goes into the trash with it. */
async function deliver(machine: Machine): Promise<void> {
  const home = await machine.home();
  const scheduler = await home.scheduler();
  await scheduler.add('report', {
    schedule: '* * * * *',
    command: ['echo', 'all is well'],
    deliver: [{ file: join(machine.root, 'report.txt') }],
  });
  await scheduler.run('report');
  await scheduler.remove('report');
}

async function say(
  machine: Machine,
  session: Session,
  known: KnownSession,
  size: { readonly messages: number; readonly words: number },
): Promise<void> {
  const contents = texts(machine, size);
  if (contents.length === 0) return;
  await session.appendAll(
    contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  );
  for (const content of contents) machine.noteMessage(known, content);
}

async function end(machine: Machine, session: Session, known: KnownSession): Promise<void> {
  await session.end('done');
  known.endedAt = machine.now;
  const transcript = (await session.files()).find(({ path }) => path.endsWith('transcript.jsonl'));
  if (transcript !== undefined) known.transcript = nextDigest('', readFileSync(transcript.path, 'latin1'));
}

function texts(machine: Machine, { messages, words }: { readonly messages: number; readonly words: number }): string[] {
  return Array.from({ length: messages }, () => text(machine, words));
}

/** Words of a small language, so that an index of them is like one of real text. */
function text(machine: Machine, words: number): string {
  return Array.from({ length: words }, () => Math.floor(machine.random() ** 2 * 20_000).toString(36)).join(' ');
}
