import { call } from './call.ts';
import { connection, signedIn } from './connection.ts';

const QUIET_MS = 15_000;
const LOST_MS = 2000;

/** Asks now and then whether the daemon is there, so that a page nobody touches does not show what is over. Returns what ends it. */
export function keepInTouch(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const next = () => {
    timer = setTimeout(() => void look(), connection.value === 'lost' ? LOST_MS : QUIET_MS);
  };
  const look = async () => {
    const isNeeded = !document.hidden && signedIn.value !== false;
    // Whether it answers is noted where it is heard.
    if (isNeeded) await call('GET /api/home', {}).catch(() => undefined);
    next();
  };
  const sooner = () => {
    clearTimeout(timer);
    void look();
  };
  // One that was lost is looked for more often from then on.
  const ended = connection.subscribe((now) => {
    if (now !== 'lost') return;
    clearTimeout(timer);
    next();
  });
  next();
  document.addEventListener('visibilitychange', sooner);
  return () => {
    clearTimeout(timer);
    ended();
    document.removeEventListener('visibilitychange', sooner);
  };
}
