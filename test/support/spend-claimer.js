// Claims iterations as fast as it can. Run as: node spend-claimer.js PATH COUNT LIMIT; says at the end how many it got.
import { openSpendBook } from '../../dist/store/sqlite/spend-book.js';

const [, , path, count, limit] = process.argv;
const book = openSpendBook({ path, clock: Date });
let got = 0;
for (let asked = 0; asked < Number(count); asked += 1) {
  const counted = { scope: 'session', key: 's', period: '' };
  if (book.claim({ counted, wallMs: 0, below: { iterations: Number(limit) } }) !== undefined) got += 1;
}
book[Symbol.dispose]();
process.stdout.write(String(got));
