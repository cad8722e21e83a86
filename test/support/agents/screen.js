// An agent that lives in a terminal. It tells what it is given, and does what it is told by lines: `raw` takes the whole screen and tells
// each key, until `q`; `step` (or the key `s`) reports a step; `exit N`, `flood`, `fail TEXT` on standard error.
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const say = (text) => writeSync(1, `${text}\n`);
const size = () => process.stdout.getWindowSize?.().join('x') ?? 'none';
let isRaw = false;

process.stdout.on('resize', () => say(`resized ${size()}`));
process.on('SIGINT', () => say('interrupted'));
process.stdin.setEncoding('utf8').on('data', (text) => (isRaw ? key(text) : text.trim().split('\n').forEach(obey)));
// Whoever reads this may type at once.
say(`terminals ${[0, 1, 2].map((fd) => isatty(fd)).join(' ')} size ${size()} lines ${process.env.LINES ?? 'unset'}`);

function key(text) {
  if (/^s+$/.test(text)) return [...text].forEach(step);
  say(`key ${JSON.stringify(text)}`);
  if (text !== 'q') return;
  isRaw = false;
  process.stdin.setRawMode(false);
  writeSync(1, '\u001b[?25h\u001b[?1049l');
}

/** What limits count. */
function step() {
  writeSync(Number(process.env.COPPICE_EVENTS_FD), '{"coppice":"iteration"}\n');
}

function obey(line) {
  const [word, ...rest] = line.split(' ');
  if (word === 'raw') {
    isRaw = true;
    process.stdin.setRawMode(true);
    writeSync(1, '\u001b[?1049h\u001b[?25lwhole screen\n');
  } else if (word === 'exit') process.exit(Number(rest[0]));
  else if (word === 'step') step();
  else if (word === 'flood') for (;;) writeSync(1, Buffer.alloc(65536, 'flood '));
  else if (word === 'fail') writeSync(2, `${rest.join(' ')}\n`);
  else say(`told ${line}`);
}
