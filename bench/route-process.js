// Opens many routes, as another process than the one that is measured by the clock.
import { openHome } from '../dist/index.js';

const [, , path, count] = process.argv;
const TOGETHER = 100;

const home = await openHome({ path });
for (let first = 0; first < Number(count); first += TOGETHER) {
  const keys = Array.from({ length: TOGETHER }, (_, index) => `chat:${first + index}`);
  await Promise.all(keys.map((key) => home.gateway.resolve({ key, source: 'chat' })));
}
await home.close();
