import { openHome } from '../../dist/index.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How many sessions are written at once: what comes together shares one sync of the disk. */
const TOGETHER = 20;

/**
 * Fills a home with what is found in the field: 73 % runs of a schedule, two thirds of all sessions with at most five messages,
 * a few giants, request dumps, and one conversation worth finding again, whose id is returned.
 */
export async function makeHome(path, sessionCount) {
  const random = seeded(7);
  const now = Date.now();
  const clock = { at: now, now: () => clock.at };
  const home = await openHome({ path, clock });
  try {
    for (let first = 0; first < sessionCount; first += TOGETHER) {
      const count = Math.min(TOGETHER, sessionCount - first);
      clock.at = now - Math.floor((1 - (first + count) / sessionCount) * 200 * DAY_MS) - 2 * HOUR_MS;
      const together = Array.from({ length: count }, (_, index) => describeSession(first + index, random));
      await Promise.all(together.map((described) => addSession(home, described)));
    }
    clock.at = now - 40 * DAY_MS;
    return await addTreasure(home);
  } finally {
    await home.close();
  }
}

const SOURCES = [
  ['cron', 0.73],
  ['cli', 0.15],
  ['telegram', 0.08],
  ['subagent', 0.04],
];

function describeSession(number, random) {
  return { number, source: pick(SOURCES, random()), length: lengthOf(random), dumped: random() < 0.08 };
}

async function addSession(home, { number, source, length, dumped }) {
  const session = await home.sessions.create({
    source,
    workdir: `/home/ada/projects/${['shop', 'atlas', 'notes'][number % 3]}`,
    model: 'large',
    ...(source !== 'cron' && { title: titleOf(number) }),
  });
  if (length > 0) {
    await session.appendAll(messagesFor(number, length));
    await session.recordUsage({
      model: 'large',
      inputTokens: length * 900,
      outputTokens: length * 80,
      costUsd: length * 0.004,
    });
  }
  if (dumped) await addDump(session, number);
  await session.end(source === 'cron' ? 'done' : 'closed');
}

const GIANT = 400;

/** Two thirds have at most five messages; one in two hundred is a giant. */
function lengthOf(random) {
  const roll = random();
  if (roll < 0.07) return 0;
  if (roll < 0.67) return 1 + Math.floor(random() * 5);
  return roll < 0.995 ? 6 + Math.floor(random() * 18) : GIANT;
}

const ASKED = [
  'Is the backup done?',
  'Summarise the log of last night.',
  'Why does the build fail on main?',
  'Any new orders?',
];
const ANSWERED = [
  'Yes, all went well.',
  'Three warnings, nothing urgent.',
  'A test waits for a port that is in use.',
  'None since noon.',
];

function messagesFor(number, length) {
  const more = length === GIANT ? LONG_OUTPUT : '';
  return Array.from({ length }, (_, index) =>
    index % 2 === 0
      ? { role: 'user', content: ASKED[(number + index) % ASKED.length] }
      : { role: 'assistant', content: `${ANSWERED[(number + index) % ANSWERED.length]} (${number}.${index})${more}` },
  );
}

/** What fills the giants: the output of a tool, told again and again. */
const LONG_OUTPUT = '\nwarning: retrying the upload of part 7'.repeat(25);

function titleOf(number) {
  return ['Build trouble', 'Order report', 'Log review', 'Release notes', 'Slow page'][number % 5];
}

async function addDump(session, number) {
  await session.dump({
    method: 'POST',
    url: 'https://api.example.com/v1/messages',
    headers: { authorization: 'Bearer not-a-real-key' },
    body: { number, padding: 'x'.repeat(20_000) },
    response: { status: 529, body: { error: 'overloaded' } },
  });
}

async function addTreasure(home) {
  const session = await home.sessions.create({ source: 'cli', title: 'The payment race', model: 'large' });
  await session.appendAll([
    { role: 'user', content: 'Two payments arrive at once and one is lost. Where is the race?' },
    { role: 'assistant', content: 'Between the balance check and the write. Take the row lock first, then read.' },
  ]);
  await session.end('closed');
  return session.id;
}

function pick(weighted, roll) {
  let rest = roll;
  for (const [value, weight] of weighted) {
    rest -= weight;
    if (rest < 0) return value;
  }
  return weighted[0][0];
}

/** The same home every time: a small generator of numbers from 0 to 1 (mulberry32). */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
