import { openHome } from '../../src/index.ts';

export const HOSTILE_IDS = ['../x', '*', 'CON', '🦊 fox', '-dash', "it's; $(touch x)"];
/** What a terminal would obey: escapes, a bell, a carriage return, a C1 control and a direction override. */
export const HOSTILE_TEXT = '\u001b[31mred\u001b]0;owned\u0007 back\r\u009b31m over\u202eride';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a home that holds a little of everything, oldest first. */
export async function makeExampleHome(path: string, now = Date.now()): Promise<void> {
  let ageDays = 100;
  await using home = await openHome({ path, env: {}, clock: { now: () => now - ageDays * DAY_MS } });
  const { sessions } = home;

  const disk = await sessions.create({ id: 'alpha-disk', source: 'cli', title: 'Disk trouble', tags: ['ops'] });
  await disk.appendAll([
    { role: 'user', content: 'The disk is full again. key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'bash', arguments: { command: 'df -h' } }] },
    { role: 'tool', toolCallId: 'c1', name: 'bash', content: '/dev/sda1 100%' },
    { role: 'assistant', content: [{ type: 'text', text: 'Remove the old logs.' }] },
  ]);
  await disk.recordUsage({ model: 'large', inputTokens: 50_000, outputTokens: 120, costUsd: 1.25 });
  await disk.dump({ method: 'POST', url: 'https://api.example.com/v1', body: { text: 'x'.repeat(200) } });
  await disk.end('done');

  ageDays = 40;
  const chinese = await sessions.create({ id: 'alpha-two', source: 'telegram' });
  await chinese.append({ role: 'user', content: '服务器磁盘已满，怎么办？' });
  await chinese.recordUsage({ model: 'small', inputTokens: 90_000, costUsd: 0.01 });
  await chinese.end('done');

  ageDays = 20;
  for (const id of HOSTILE_IDS) {
    const session = await sessions.create({ id, source: 'api' });
    await session.append({ role: 'user', content: `Words of ${id}` });
    await session.end('done');
  }

  ageDays = 10;
  const many = await sessions.create({ id: 'many', source: 'cli', title: 'A long talk' });
  await many.appendAll(Array.from({ length: 30 }, (_, at) => ({ role: 'user' as const, content: `Line ${at + 1}` })));
  await many.end('done');

  ageDays = 5;
  const cron = await sessions.create({ id: 'cron_backup', source: 'cron' });
  await cron.append({ role: 'user', content: 'Back up.' });
  await cron.end('done');
  await (await sessions.create({ id: 'empty', source: 'cli' })).end('done');

  ageDays = 2;
  const hostile = await sessions.create({ id: 'hostile\u202eid', source: 'cli', title: 'evil \u202e title' });
  await hostile.append({ role: 'user', content: HOSTILE_TEXT });
  await hostile.end('done');

  ageDays = 0;
  const running = await sessions.create({ id: 'running', source: 'telegram' });
  await running.append({ role: 'user', content: 'Still there?' });
  await running.release();
}
