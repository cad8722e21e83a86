// Starts a session in the store of a home and holds it until it is killed. Run as: node hold-session.js HOME ID
import { openWorkerStore } from './worker-store.js';

const [, , root, id] = process.argv;
const store = await openWorkerStore(root);
await store.create({ id, source: 'cli' });
await store.append(id, [{ role: 'user', content: 'hello' }]);
process.stdout.write('held\n');
setInterval(() => undefined, 1000);
