// Opens the store of a home that may not exist yet and writes a session. Run as: node open-and-append.js HOME ID
import { openWorkerStore } from './worker-store.js';

const [, , root, id] = process.argv;
const store = await openWorkerStore(root);
await store.create({ id, source: 'cli' });
for (const content of ['1', '2', '3']) await store.append(id, [{ role: 'user', content }]);
await store[Symbol.asyncDispose]();
