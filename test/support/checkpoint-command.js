// Does one thing with the checkpoints of a home, from the built code. Run as: node checkpoint-command.js HOME WHAT [ID]
import { openHome } from '../../dist/app/open-home.js';

const [, , path, what, id] = process.argv;
const settings = [
  { key: 'disk.ballast_mb', value: 'never' },
  { key: 'checkpoints.auto_prune', value: 'false' },
];
const home = await openHome({ path, env: {}, settings });
const ACTS = {
  restore: () => home.checkpoints.restore(id),
  prune: () => home.checkpoints.prune({ maxSnapshots: 1 }),
  undo: () => home.undo(id),
  pin: () => home.checkpoints.pin(id),
  take: () => home.checkpoints.take({ workdir: id }),
  empty: async () => (await home.retention()).emptyTrash(id),
};
await ACTS[what]();
await home.close();
