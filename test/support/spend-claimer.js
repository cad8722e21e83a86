// Claims iterations as fast as it can. Run as: node spend-claimer.js PATH COUNT LIMIT; says at the end how many it got.
import { openSpendBook } from '../../dist/store/sqlite/spend-book.js';

const [, , path, count, limit] = process.argv;
const book = openSpendBook({ path, clock: Date });
let got = 0;
for (let asked = 0; asked < Number(count); asked += 1) {
  const claimed = book.claim({
    counted: { scope: 'session', key: 's', period: '' },
    amounts: { iterations: 1 },
    beside: [],
    admit: ([session]) => session.used.iterations < Number(limit),
  });
  if (claimed) got += 1;
}
book[Symbol.dispose]();
process.stdout.write(String(got));
