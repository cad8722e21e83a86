import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { finished, sandbox, start } from './run-coppice.ts';

const root = sandbox();

interface Look {
  readonly sessions: readonly {
    readonly id: string;
    readonly messages: number;
    readonly tokens: number;
    readonly newTokens: number;
    readonly sizeBytes: number;
    readonly newBytes: number;
  }[];
}

it('shows sessions in use, what each has spent, and what it added since the last look', async () => {
  const path = join(root, 'home');
  await using home = await openHome({ path, env: {} });
  await (await home.sessions.create({ source: 'cli' })).end('done');
  const busy = await home.sessions.create({ source: 'cli' });
  await busy.recordUsage({ model: 'm', inputTokens: 100, costUsd: 0.5 });
  const watch = start(path, ['watch', '--json']);
  onTestFinished(() => void watch.kill('SIGKILL'));
  const end = finished(watch);
  const lines = createInterface(watch.stdout)[Symbol.asyncIterator]();
  const look = async () => (JSON.parse(String((await lines.next()).value)) as Look).sessions;
  expect(await look()).toMatchObject([{ id: busy.id, tokens: 100, newTokens: 0, costUsd: 0.5, newBytes: 0 }]);
  await busy.append({ role: 'user', content: 'hello' });
  await busy.recordUsage({ model: 'm', outputTokens: 20, costUsd: 0.25 });
  // A look may fall between the two.
  const added = { tokens: 0, bytes: 0 };
  let [seen] = await look();
  for (; seen !== undefined; [seen] = await look()) {
    added.tokens += seen.newTokens;
    added.bytes += seen.newBytes;
    if (seen.tokens === 120) break;
  }
  expect(seen).toMatchObject({ id: busy.id, messages: 1, costUsd: 0.75 });
  expect(added).toEqual({ tokens: 20, bytes: seen?.sizeBytes });
  expect(added.bytes).toBeGreaterThan(0);
  watch.kill('SIGINT');
  expect(await end).toMatchObject({ code: 130, stderr: '' });
});
