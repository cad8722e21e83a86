import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addSnapshot, boundsStore, runItem } from '../../test/support/checkpoint-bounds.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { createCheckpointDriver } from './checkpoint-driver.ts';
import { setPin } from './set-pin.ts';
import { PINS } from './store/store-layout.ts';
import { readRefs } from './store/store-refs.ts';

it('sets no pin on a checkpoint that is gone by then, and says so', async () => {
  const dir = tempDir();
  const store = await boundsStore(dir);
  const one = await addSnapshot(store, { workdir: join(dir, 'p'), files: { a: 'one' } });
  expect(await setPin(store, one, true)).toMatchObject({ pinned: true });
  await setPin(store, one, false);
  await createCheckpointDriver(store).discard('run', [runItem(one, 1, { reason: 'named' })]);
  await expect(setPin(store, one, true)).rejects.toMatchObject({ code: 'not-found' });
  expect([...(await readRefs(store.layout, PINS)).keys()]).toEqual([]);
});
