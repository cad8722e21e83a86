// Appends to a session that others write to as well and to one of its own, alone, in batches and many at a time.
// Run as: node concurrent-writer.js HOME NAME COUNT; says at the end, as JSON, which numbers each message was given.
import { openWorkerStore } from './worker-store.js';

const [, , root, name, count] = process.argv;
const store = await openWorkerStore(root);
await store.create({ id: name, source: 'cli' });
const given = [];
let next = 0;

while (next < Number(count)) {
  const size = next % 7 === 0 ? 5 : 1;
  const appends = Array.from({ length: next % 3 === 0 ? 8 : 2 }, (_, index) =>
    append(index % 4 === 3 ? name : 'shared', size),
  );
  await Promise.all(appends);
}
await store[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify(given));

async function append(id, size) {
  const contents = [];
  for (; contents.length < size && next < Number(count); next += 1) contents.push(`${name}:${next}`);
  if (contents.length === 0) return;
  const { firstSeq, problems } = await store.append(
    id,
    contents.map((content) => ({ role: 'user', content })),
  );
  given.push(...contents.map((content, index) => ({ id, content, seq: firstSeq + index, problems: problems.length })));
}
