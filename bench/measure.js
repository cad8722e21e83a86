// How figures are taken: both sides in the same process, in alternating rounds, compared by the median of the ratios.

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs ours and the bare work in turn; each round gives one ratio. */
export async function compare(rounds, ours, bare) {
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0;
    const a = first ? await timed(() => ours(round)) : undefined;
    const b = await timed(() => bare(round));
    pairs.push({ ours: a ?? (await timed(() => ours(round))), bare: b });
  }
  return {
    oursMs: median(pairs.map((pair) => pair.ours)),
    bareMs: median(pairs.map((pair) => pair.bare)),
    /** The fastest round: what the work costs where nobody else keeps the machine busy. */
    oursLeastMs: Math.min(...pairs.map((pair) => pair.ours)),
    ratio: median(pairs.map((pair) => pair.ours / pair.bare)),
  };
}

/** How long appends take, one after the other, for as long as they should go on. */
export async function appendTimes(session, goOn) {
  const times = [];
  while (goOn(times)) {
    times.push(
      await timed(() =>
        session.append({ role: 'user', content: 'a message of ordinary length, as agents write them' }),
      ),
    );
    // An agent does other things between two messages.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return times;
}

export function percentile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)];
}

const rows = [];

/** One line of the report. `limit` is what the figure must not exceed. */
export function report(name, value, { limit, unit, note = '' }) {
  rows.push({ name, value, limit, unit, note });
  console.log(line(rows.at(-1)));
}

function line({ name, value, limit, unit, note }) {
  const verdict = value <= limit ? 'ok  ' : 'OVER';
  const shown = `${format(value)}${unit}`.padStart(10);
  return `${verdict} ${name.padEnd(62)}${shown}  limit ${`${format(limit)}${unit}`.padEnd(9)} ${note}`;
}

export function format(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

export function finish() {
  const over = rows.filter(({ value, limit }) => value > limit);
  console.log(over.length === 0 ? '\nEvery figure is within its limit.' : `\n${over.length} over the limit.`);
  return over.length;
}
