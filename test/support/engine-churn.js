// One of several processes that use a home at once, for a few seconds. Run as: node engine-churn.js ROLE HOME NAME SECONDS
// Says at the end, as JSON, what was acknowledged to it.
import { openHome } from '../../dist/app/open-home.js';

const [, , role, path, name, seconds] = process.argv;
const until = Date.now() + Number(seconds) * 1000;
const home = await openHome({ path, env: {}, settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
const said = { acknowledged: {}, done: 0, undone: 0, read: 0, locked: 0 };
const roles = { writer: write, maintainer: maintain, reader: read };
// On a busy machine a turn may take longer than all of the time.
for (let turn = 0; Date.now() < until || turn < 2; turn += 1) await roles[role](turn);
await home.close();
process.stdout.write(JSON.stringify(said));

async function write(turn) {
  const id = `${name}-${String(turn).padStart(6, '0')}`;
  const session = await home.sessions.create({ id, source: 'cli' });
  const contents = (said.acknowledged[id] = []);
  for (let index = 0; index < 1 + (turn % 8); index += 1) {
    const content = `${id} message ${index}`;
    await session.append({ role: 'user', content });
    contents.push(content);
  }
  if (turn % 3 === 0) await session.dump({ url: 'https://example.com', body: { id } });
  if (turn % 5 !== 0) await session.end('done');
}

async function maintain(turn) {
  const retention = await home.retention();
  const part = turn % 3 === 1 ? 'files' : 'all';
  try {
    const plan = await retention.plan({ kind: 'prune', filter: { source: 'cli' }, before: Date.now(), part });
    const { run, done } = await retention.apply(plan);
    said.done += done;
    if (turn % 4 !== 3) said.undone += (await retention.undo(run.id)).done;
  } catch (error) {
    if (error.code !== 'locked') throw error;
    said.locked += 1;
  }
}

async function read() {
  for await (const { id, messageCount } of home.sessions.list({ limit: 50 })) {
    try {
      const session = await home.sessions.open(id);
      let count = 0;
      for await (const _ of session.messages()) count += 1;
      if (count < messageCount) await session.facts();
    } catch (error) {
      // Removed meanwhile, and that is said in so many words.
      if (error.code !== 'not-found') throw error;
    }
    said.read += 1;
  }
  await home.sessions.search({ text: 'message' });
}
