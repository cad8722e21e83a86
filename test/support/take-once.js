// Takes one checkpoint, from the built code. Run as: node take-once.js HOME WORKDIR
import { openHome } from '../../dist/app/open-home.js';

const [, , path, workdir] = process.argv;
const home = await openHome({ path, env: {}, settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
const { status } = await home.checkpoints.take({ workdir });
await home.close();
process.stdout.write(status);
