import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createToken, tokenFile } from '../../src/app/access/token-files.ts';
import { openHome } from '../../src/app/open-home.ts';
import { serve } from '../../src/daemon/serve.ts';
import { tempDir } from '../support/temp-dir.ts';

async function attempts(path: string) {
  await using home = await openHome({ path, env: {} });
  const serving = serve({
    home,
    clock: Date,
    address: { host: '127.0.0.1', port: 0 },
    say: () => undefined,
    onReady: () => undefined,
    signal: AbortSignal.abort(),
  });
  const said = async (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error as { hint?: string }).hint ?? String(error),
    );
  const scheduler = await home.scheduler();
  await scheduler.add('job', { schedule: '0 7 * * *', command: ['true'] });
  return {
    serve: await said(serving),
    run: await said(home.gateway.run({ command: 'true', args: [], source: 'cli' })),
  };
}

it.skipIf(process.platform === 'win32')(
  'a home that others can change runs nothing, and says how to mend it',
  async () => {
    const path = tempDir();
    const config = join(path, 'config.yaml');
    writeFileSync(config, '{}\n', { mode: 0o600 });
    expect(await attempts(path)).toEqual({ serve: 'done', run: 'done' });
    chmodSync(path, 0o777);
    const closeHome = expect.stringContaining(`chmod 700 ${path}`);
    expect(await attempts(path)).toEqual({ serve: closeHome, run: closeHome });
    chmodSync(path, 0o755);
    expect(await attempts(path)).toEqual({ serve: 'done', run: 'done' });
    chmodSync(config, 0o666);
    const closeFile = expect.stringContaining(`chmod 600 ${config}`);
    expect(await attempts(path)).toEqual({ serve: closeFile, run: closeFile });
    // What its group may write, nobody reaches in a folder of one's own.
    chmodSync(config, 0o660);
    expect(await attempts(path)).toEqual({ serve: closeFile, run: closeFile });
    chmodSync(path, 0o700);
    expect(await attempts(path)).toEqual({ serve: 'done', run: 'done' });
  },
);

it.skipIf(process.platform === 'win32')('a home whose tokens others can change runs nothing either', async () => {
  const path = tempDir();
  writeFileSync(join(path, 'config.yaml'), '{}\n', { mode: 0o600 });
  expect(await attempts(path)).toEqual({ serve: 'done', run: 'done' });
  const { record } = createToken(path, { name: 'ci', scopes: ['run'], now: 0 });
  const [folder, file] = [join(path, 'tokens'), tokenFile(path, record.hash)];
  for (const [place, open, closed] of [
    [folder, 0o777, 0o700],
    [file, 0o602, 0o600],
    [join(path, 'token'), 0o602, 0o600],
  ] as const) {
    chmodSync(place, open);
    const close = expect.stringContaining(`chmod ${closed.toString(8)} ${place}`);
    expect(await attempts(path)).toEqual({ serve: close, run: close });
    chmodSync(place, closed);
  }
  expect(await attempts(path)).toEqual({ serve: 'done', run: 'done' });
});
