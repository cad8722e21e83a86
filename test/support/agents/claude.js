#!/usr/bin/env node
// Stands in for an agent that nobody meters: it writes down what it uses as Claude Code does, each answer in two lines, for ever or so often.
import { appendFileSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const folder = join(process.env.CLAUDE_CONFIG_DIR, 'projects', 'p');
mkdirSync(folder, { recursive: true });
const file = join(folder, `${process.pid}.jsonl`);
const [most = 'Infinity', ...rest] = process.argv.slice(2);
for (let call = 1; call <= Number(most); call += 1) {
  if (rest.includes('call')) await callModel();
  const usage = { input_tokens: 1000, output_tokens: 50 };
  const message = { id: `msg_${process.pid}_${call}`, model: 'claude-stub', usage };
  const line = {
    type: 'assistant',
    cwd: realpathSync('.'),
    sessionId: 's',
    timestamp: new Date().toISOString(),
    message,
  };
  appendFileSync(file, `${JSON.stringify(line)}\n`.repeat(2));
  if (rest.includes('stream-json')) console.log(JSON.stringify(line));
  await sleep(rest.includes('slow') ? 300 : 50);
}
while (rest.includes('wait')) await sleep(1000);

async function callModel() {
  const answer = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-stub', max_tokens: 100, stream: true, messages: ['go on'.repeat(100)] }),
  });
  await answer.text();
}
