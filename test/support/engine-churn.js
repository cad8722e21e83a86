// One of several processes that use a home at once, for a few seconds. Run as: node engine-churn.js ROLE HOME NAME SECONDS
// Says at the end, as JSON, what was acknowledged to it and what it did.
import { openHome } from '../../dist/app/open-home.js';

const [, , role, path, name, seconds] = process.argv;
const until = Date.now() + Number(seconds) * 1000;
const home = await openHome({ path, env: {}, settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
const said = { acknowledged: {}, created: 0, resumed: 0, done: 0, undone: 0, archived: 0, read: 0, locked: 0 };
const roles = { writer: write, maintainer: maintain, undoer: undo, reader: read };
// On a busy machine the time may be over before the others have left anything to do; or there is nothing left any more.
const work = { writer: ['resumed'], maintainer: ['done', 'archived'], undoer: ['undone'], reader: ['read'] };
const isIdle = () => Date.now() < until + 15_000 && work[role].some((count) => said[count] === 0);
for (let turn = 0; Date.now() < until || isIdle(); turn += 1) await roles[role](turn);
await home.close();
process.stdout.write(JSON.stringify(said));

/** A new session, and then an older one again, which may be on its way into the trash at this very moment. */
async function write(turn) {
  const id = `${name}-${String(turn).padStart(6, '0')}`;
  const session = await home.sessions.create({ id, source: turn % 2 === 0 ? 'cli' : 'api' });
  said.acknowledged[id] = [];
  said.created += 1;
  await say(session, 1 + (turn % 8));
  if (turn % 3 === 0) await session.dump({ url: 'https://example.com', body: { id } });
  if (turn % 5 !== 0) await session.end('done');
  const older = Object.keys(said.acknowledged).at(-1 - ((turn * 7) % 40));
  if (older !== undefined && older !== id) await unlessGone(() => goOn(older));
}

async function goOn(id) {
  const session = await home.sessions.open(id);
  if ((await session.facts()).endedAt !== undefined) await session.resume();
  await say(session, 2);
  said.resumed += 1;
  await session.end('done');
}

async function say(session, count) {
  const contents = said.acknowledged[session.id];
  for (let index = 0; index < count; index += 1) {
    const content = `${session.id} message ${contents.length}`;
    await session.append({ role: 'user', content });
    contents.push(content);
  }
}

/** Sessions of one source go, those of the other are archived, of both the files; every fourth turn is a pass of the rules. */
async function maintain(turn) {
  const retention = await home.retention();
  const before = Date.now();
  const requests = [
    { kind: 'prune', part: 'all', filter: { source: 'cli' }, before },
    { kind: 'prune', part: 'files', filter: {}, before },
    { kind: 'archive', filter: { source: 'api' }, before },
  ];
  await unlessLocked(async () => {
    const request = requests[turn % 4];
    if (request === undefined) await retention.maintain({ now: true });
    else
      said[request.kind === 'archive' ? 'archived' : 'done'] += (
        await retention.apply(await retention.plan(request))
      ).done;
  });
}

/** Gives back what anybody removed, the newest run first, so that there is always something to write to and to read. */
async function undo() {
  const retention = await home.retention();
  const runs = [];
  for await (const { id } of retention.runs()) if (runs.push(id) === 3) break;
  for (const id of runs) await unlessLocked(async () => (said.undone += (await retention.undo(id)).done));
}

async function read() {
  for await (const { id } of home.sessions.list({ limit: 50 })) {
    await unlessGone(async () => {
      const contents = [];
      for await (const { content } of (await home.sessions.open(id)).messages()) contents.push(content);
      const wrong = contents.find((content, at) => content !== `${id} message ${at}`);
      if (wrong !== undefined) throw new Error(`${id} holds ${JSON.stringify(contents)}`);
      said.read += 1;
    });
  }
  await home.sessions.search({ text: 'message' });
}

/** Removed or archived meanwhile, and that is said in so many words. */
async function unlessGone(act) {
  try {
    await act();
  } catch (error) {
    if (error.code !== 'not-found' && !error.message.endsWith(' is archived.')) throw error;
  }
}

async function unlessLocked(act) {
  try {
    await act();
  } catch (error) {
    if (error.code !== 'locked') throw error;
    said.locked += 1;
  }
}
