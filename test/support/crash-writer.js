// Writes to two sessions until it is killed, and says on stdout what it is about to do (`try`) and what was done (`ok`).
// Run as: node crash-writer.js HOME SEED STEPS [BUG]; a BUG is planted to prove that the checker would notice it.
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { contentFor, seededRandom } from './crash-content.js';
import { openWorkerStore } from './worker-store.js';

const [, , root, seed, steps, bug] = process.argv;
const random = seededRandom(Number(seed));
const upTo = (limit) => Math.floor(random() * limit);
const store = await openWorkerStore(root, bug === 'spoilt-line' ? spoilsLine : undefined);
let operation = 0;

for (const id of ['one', 'two']) {
  const facts = await store.get(id);
  if (facts === undefined) await attempt(id, { kind: 'create' }, () => store.create({ id, source: 'cli' }));
  else if (facts.endedAt !== undefined) await attempt(id, { kind: 'resume' }, () => store.resume(id));
}
for (let step = 0; step < Number(steps); step += 1) {
  if (random() < 0.3) await Promise.all([act('one'), act('two'), act('one')]);
  else await act(random() < 0.5 ? 'one' : 'two');
}
await store[Symbol.asyncDispose]();

function act(id) {
  const dice = random();
  if (dice < 0.08) return endAndResume(id);
  if (dice < 0.18)
    return attempt(id, { kind: 'usage' }, () => store.recordUsage(id, { model: 'm', inputTokens: 1, costUsd: 0.1 }));
  const tokens = Array.from({ length: dice < 0.7 ? 1 : 1 + upTo(20) }, (_, index) => `${seed}.${operation}.${index}`);
  const large = random() < 0.05;
  const messages = tokens.map((token) => ({
    role: 'user',
    content: contentFor(token, large ? upTo(20_000) : upTo(300)),
  }));
  return attempt(id, { kind: 'append', tokens }, () => append(id, messages));
}

/** One after the other, and both before anything else of the session is asked for. */
async function endAndResume(id) {
  await Promise.all([
    attempt(id, { kind: 'end' }, () => store.end(id, 'done')),
    attempt(id, { kind: 'resume' }, () => store.resume(id)),
  ]);
}

async function append(id, messages) {
  if (bug !== 'early-ack') return store.append(id, messages);
  const { messageCount } = await store.get(id);
  setTimeout(() => void store.append(id, messages), 60_000).unref();
  return { firstSeq: messageCount + 1, problems: [] };
}

async function attempt(id, what, write) {
  const number = operation++;
  say({ event: 'try', number, id, ...what });
  const result = await write();
  const problems = (result?.problems ?? []).map(({ kind }) => kind);
  say({ event: 'ok', number, ...(result?.firstSeq !== undefined && { firstSeq: result.firstSeq }), problems });
}

/** Synchronous, so that what was said is in the pipe whenever the process dies. */
function say(line) {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** A sink that spoils the first message: the size of the file stays right. */
function spoilsLine(sink, layout) {
  return {
    write(request) {
      const written = sink.write(request);
      const path = layout.transcript(request.session.id);
      const text = readFileSync(path, 'utf8');
      const end = text.indexOf('\n', text.indexOf('\n') + 1) + 1;
      writeFileSync(path, `${text.slice(0, end - 2)} ${text.slice(end - 1)}`);
      return written;
    },
  };
}
