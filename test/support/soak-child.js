// Appends to a session, or makes an unattended pass, at a time of somebody else's choosing, and waits to be killed.
// node soak-child.js HOME NOW append|maintain: says a line for each message that is stored, or when the pass begins.
import { openHome } from '../../dist/index.js';

const [, , path, now, what] = process.argv;
const home = await openHome({ path, clock: { now: () => Number(now) }, env: {} });
if (what === 'maintain') {
  // One line too many whatever the number of lines that are waited for.
  const ticking = setInterval(() => console.log('goes on'), 1);
  await (await home.retention()).maintain({ now: true });
  clearInterval(ticking);
  await home.close();
} else {
  const session = await home.sessions.create({ source: 'cli' });
  for (let number = 0; ; number += 1) {
    await session.append({ role: 'user', content: `message ${number}` });
    console.log(session.id, number);
  }
}
