// Makes the next change of a home ten days from now, as another process than the one that is measured: expired trash goes with it.
import { openHome } from '../dist/index.js';

const later = Date.now() + 10 * 86_400_000;
const home = await openHome({ path: process.argv[2], create: false, clock: { now: () => later } });
const retention = await home.retention();
await retention.maintain({ now: true });
if ((await retention.scan()).trash.length > 0) throw new Error('The trash is still there.');
await home.close();
