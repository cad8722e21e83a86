// Takes files back to a checkpoint, from the built code. Run as: node restore-worker.js HOME CHECKPOINT
import { openHome } from '../../dist/app/open-home.js';

const [, , path, id] = process.argv;
const home = await openHome({ path, env: {}, settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
const { done, skipped } = await home.checkpoints.restore(id);
await home.close();
process.stdout.write(`${JSON.stringify({ done, skipped })}\n`);
