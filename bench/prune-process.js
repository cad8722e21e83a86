// Prunes and purges everything that has ended, as another process than the one that is measured.
import { openHome } from '../dist/index.js';

const home = await openHome({ path: process.argv[2], create: false });
const plan = await home.plan({ kind: 'prune', filter: {}, before: Date.now(), part: 'all' });
const { run } = await home.apply(plan);
await (await home.retention()).emptyTrash(run.id);
await home.close();
