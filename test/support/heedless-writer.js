// A library process that resolves a key and adds messages, whatever the verdicts say, until it is refused.
// Run as: node heedless-writer.js HOME COUNT BYTES LIMIT=VALUE…; says at the end, as JSON, what it was told.
import { openHome } from '../../dist/index.js';

const [, , path, count, bytes, ...limits] = process.argv;
const settings = limits.map((limit) => {
  const [key, value] = limit.split('=');
  return { key, value };
});
const home = await openHome({ path, env: {}, settings });
const session = await home.gateway.resolve({ key: 'telegram:42', source: 'telegram' });
const kinds = [];
let refused;
for (let n = 0; n < Number(count) && refused === undefined; n += 1) {
  try {
    kinds.push((await session.append({ role: 'user', content: 'x'.repeat(Number(bytes)) })).verdict.kind);
  } catch (error) {
    refused = { code: error.code, message: error.message, hint: error.hint };
  }
}
await home.close();
process.stdout.write(JSON.stringify({ id: session.id, stored: kinds.length, last: kinds.at(-1), refused }));
