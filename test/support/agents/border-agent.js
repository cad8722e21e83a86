// Tries what an agent may try at its supervisor, and prints what came of it as one line of JSON.
import { readFileSync } from 'node:fs';

const { ANTHROPIC_BASE_URL: meter, WITHOUT_METER, OWNER_TOKEN, COPPICE_EVENTS_NONCE: nonce } = process.env;
const body = JSON.stringify({ model: 'claude-stub', max_tokens: 100, messages: [] });
const call = async (base) => {
  const answer = await fetch(`${base}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'sk-secret-of-the-user' },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
};
const report = (given) =>
  console.log(JSON.stringify({ coppice: 'usage', model: 'claude-stub', inputTokens: 1000, nonce: given }));

const { origin } = new URL(meter);
const guessed = [`${origin}/${'x'.repeat(43)}/0`, `${origin}/0`, `${meter}9`];
const refused = [];
// Without a meter there is none to guess at.
if (meter !== WITHOUT_METER) for (const base of guessed) refused.push(await call(base));
const told = {
  meter,
  metered: await call(meter),
  refused,
  besides: await call(WITHOUT_METER),
  readsToken: readFileSync(OWNER_TOKEN, 'utf8').length > 0,
  knowsSecret: Object.values(process.env).some((value) => value.includes('secret-of-webhooks')),
};
report('guessed');
report(undefined);
// What it tells of itself counts where nothing else does.
if (process.argv.includes('--own')) report(nonce);
console.log(`TRIED ${JSON.stringify(told)}`);
