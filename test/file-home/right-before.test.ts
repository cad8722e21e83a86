import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itemsFor, RUN } from '../../src/homes/tested-home.conformance.ts';
import type { FileAgent } from '../../src/keeping/file-home/file-agent.ts';
import { fileTestedHome } from '../support/file-home-conformance.ts';
import { sampleAgent, sampleKind } from '../support/sample-agent.ts';
import { sampleScene } from '../support/sample-scene.ts';

const IDS = ['alone', 'bare'];

/** A home whose agent does something between the moment when sessions were prepared and the one when each is taken. */
function agentThat(act: (home: string, asked: readonly string[]) => string | undefined) {
  const asked: string[] = [];
  const guard: FileAgent['guard'] = async (home) => ({
    obstacle({ id }) {
      asked.push(id);
      return act(home, asked);
    },
    [Symbol.dispose]: () => undefined,
  });
  return fileTestedHome(sampleKind({ load: async () => sampleAgent({ guard }) }), sampleScene);
}

it('stays when its agent opens it after the look, right before it would go', async () => {
  await using home = await agentThat((_, asked) => {
    const isLast = asked.filter((id) => id === asked.at(-1)).length > 1;
    return isLast ? 'The agent has it open.' : undefined;
  });
  const before = await home.dump();
  const outcomes = await home.driver.discard(RUN, await itemsFor(home, IDS, 'remove'));
  expect(outcomes.map(({ status }) => status)).toEqual(['skipped', 'skipped']);
  expect(await home.dump()).toEqual(before);
});

it('stays when its agent writes to it after it was copied, while another one goes', async () => {
  let second = '';
  await using home = await agentThat((path, asked) => {
    if (asked.length !== IDS.length + 1) return undefined;
    second = IDS.find((id) => id !== asked.at(-1)) ?? '';
    appendFileSync(join(path, `chats/${second}.jsonl`), '{"role":"user","text":"Wait!","at":1}\n');
    return undefined;
  });
  const outcomes = await home.driver.discard(RUN, await itemsFor(home, IDS, 'remove'));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['done', 'skipped']);
  expect(existsSync(join(home.path, `chats/${second}.jsonl`))).toBe(true);
});
