import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { collect, user } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

it('a conversation that had not begun at a checkpoint goes back to its beginning with the files', async () => {
  const root = tempDir();
  const workdir = join(root, 'project');
  mkdirSync(workdir);
  writeFileSync(join(workdir, 'a'), 'before');
  await using home = await openHome({ path: join(root, 'home'), env: {} });
  const session = await home.sessions.create({ source: 'cli' });
  const taken = await home.checkpoints.take({ workdir, sessionId: session.id });
  await session.append(user('Change it.'));
  writeFileSync(join(workdir, 'a'), 'after');
  await home.checkpoints.restore(taken.status === 'taken' ? taken.checkpoint.id : '', { withSession: true });
  expect(readFileSync(join(workdir, 'a'), 'utf8')).toBe('before');
  expect(await collect(session.messages())).toEqual([]);
});
