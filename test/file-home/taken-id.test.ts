import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itemsFor, RUN } from '../../src/homes/tested-home.conformance.ts';
import { fileTestedHome } from '../support/file-home-conformance.ts';
import { jsonLines, putFile } from '../support/file-home-scene.ts';
import { sampleKind } from '../support/sample-agent.ts';
import { sampleScene } from '../support/sample-scene.ts';

it('does not come back into another session that has its id by now, though its own place is free', async () => {
  await using home = await fileTestedHome(sampleKind(), sampleScene);
  const before = await home.dump();
  const items = await itemsFor(home, ['bare'], 'remove');
  expect(await home.driver.discard(RUN, items)).toMatchObject([{ status: 'done' }]);
  putFile(home.path, 'chats/bare.2.jsonl', jsonLines([{ role: 'user', text: 'I am another', at: 1 }]));
  expect(await home.driver.restore(RUN, items)).toMatchObject([{ status: 'skipped' }]);
  expect(existsSync(join(home.path, 'chats/bare.jsonl'))).toBe(false);
  rmSync(join(home.path, 'chats/bare.2.jsonl'));
  expect(await home.driver.restore(RUN, items)).toMatchObject([{ status: 'done' }]);
  expect(await home.dump()).toEqual(before);
});
