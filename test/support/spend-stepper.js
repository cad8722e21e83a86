// Takes steps as fast as it can. Run as: node spend-stepper.js PATH COUNT LIMIT; says at the end how many it got.
import { openSpendBook } from '../../dist/store/sqlite/gateway/spend-book.js';

const [, , path, count, limit] = process.argv;
const book = openSpendBook({ path, clock: Date });
const account = { session: { scope: 'session', key: 's', period: '' }, limited: [] };
let got = 0;
for (let asked = 0; asked < Number(count); asked += 1) {
  if (await book.step({ account, wallMs: 0 }, ([spent]) => spent.used.iterations < Number(limit))) got += 1;
}
book[Symbol.dispose]();
process.stdout.write(String(got));
