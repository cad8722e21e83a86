import { chmodSync, linkSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { putFile } from '../../../test/support/file-home-scene.ts';
import { geminiId, putPromptLog } from '../../../test/support/gemini-home.ts';
import { dieAtChange } from '../../../test/support/hermes-faults.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { promptLog } from './prompt-log.ts';

// They differ in their last character alone.
const [ONE, TWO, THREE] = ['1', '2', '3'].map(geminiId) as [string, string, string];
const PROMPTS = [ONE, TWO, ONE, THREE].map((id, at) => [id, `Prompt “${at}”\n\u{1F331}`] as const);

function withPrompts(prompts: readonly (readonly [string, string])[] = PROMPTS) {
  const home = tempDir();
  putPromptLog(home, 'greeter', prompts);
  putPromptLog(home, 'other', [[TWO, 'elsewhere']]);
  const path = join(home, 'tmp/greeter/logs.json');
  const facts = () => {
    const { mode, mtimeMs } = statSync(path);
    return { text: readFileSync(path, 'utf8'), mode: mode & 0o777, mtimeMs };
  };
  return { home, path, facts };
}

const owners = (text: string) => (JSON.parse(text) as { sessionId: string }[]).map(({ sessionId }) => sessionId);

async function takeOut(home: string, id: string): Promise<string> {
  const copy = (await promptLog.copy(home, id)) ?? '';
  await promptLog.takeOut(home, id, copy);
  return copy;
}

describe('the list of prompts of a project', () => {
  it('lets those of a session go, and gives them back byte for byte, with its mode and times', async () => {
    const { home, path, facts } = withPrompts();
    chmodSync(path, 0o640);
    const before = facts();
    const copy = await takeOut(home, ONE);
    expect(owners(facts().text)).toEqual([TWO, THREE]);
    expect({ ...facts(), text: '' }).toEqual({ ...before, text: '' });
    expect(readFileSync(join(home, 'tmp/other/logs.json'), 'utf8')).toContain('elsewhere');
    await promptLog.putBack(home, ONE, copy);
    expect(facts()).toEqual(before);
  });

  it('gives back the prompts of several sessions in whatever order, down to an empty list', async () => {
    const orders = fc.shuffledSubarray([ONE, TWO, THREE], { minLength: 3 });
    await fc.assert(
      fc.asyncProperty(orders, orders, async (out, back) => {
        const { home, facts } = withPrompts();
        const before = facts();
        const copies = new Map<string, string>();
        for (const id of out) copies.set(id, await takeOut(home, id));
        expect(facts().text).toBe('[]');
        for (const id of back) await promptLog.putBack(home, id, copies.get(id) ?? '');
        expect(facts()).toEqual(before);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps what was typed since then, and puts nothing there twice', async () => {
    const { home, facts } = withPrompts();
    const copy = await takeOut(home, ONE);
    const list = JSON.parse(facts().text) as object[];
    const later = {
      sessionId: ONE,
      messageId: 9,
      type: 'user',
      message: 'later',
      timestamp: '2026-11-01T00:00:00.000Z',
    };
    putFile(home, 'tmp/greeter/logs.json', JSON.stringify([...list, later], undefined, 2));
    await promptLog.takeOut(home, ONE, copy);
    expect(owners(facts().text)).toEqual([TWO, THREE, ONE]);
    await promptLog.putBack(home, ONE, copy);
    await promptLog.putBack(home, ONE, copy);
    expect(owners(facts().text)).toEqual([ONE, TWO, ONE, THREE, ONE]);
  });

  it('is the old one or the new one, whenever the process dies', async () => {
    for (let change = 1; change < 40; change += 1) {
      const { home, facts } = withPrompts();
      const before = facts();
      const copy = (await promptLog.copy(home, ONE)) ?? '';
      const died = await dieAtChange(change, () => promptLog.takeOut(home, ONE, copy));
      expect([[ONE, TWO, ONE, THREE].join(), [TWO, THREE].join()]).toContain(owners(facts().text).join());
      await promptLog.takeOut(home, ONE, copy);
      expect(owners(facts().text)).toEqual([TWO, THREE]);
      await promptLog.putBack(home, ONE, copy);
      expect(facts()).toEqual(before);
      if (!died) return;
    }
    throw new Error('it never came to its end');
  });

  it.each([
    ['written by a hand', `[{"sessionId":"${ONE}", "message":"mine"}]`],
    ['cut off', `[\n  {\n    "sessionId": "${ONE}"`],
    ['no list', `{"sessionId":"${ONE}"}`],
    ['a list of other things', JSON.stringify([ONE], undefined, 2)],
  ])('is not touched where it is %s, and the session stays', async (_, text) => {
    const { home, facts } = withPrompts();
    putFile(home, 'tmp/greeter/logs.json', text);
    await expect(promptLog.copy(home, ONE)).rejects.toThrow('The list tmp/greeter/logs.json is in a shape');
    // Of others nothing is in it.
    expect(await promptLog.copy(home, geminiId('9'))).toBeUndefined();
    expect(facts().text).toBe(text);
  });

  it('is not looked for behind a link, and not taken from where it has another name', async () => {
    const { home, path } = withPrompts();
    symlinkSync(join(home, 'tmp/greeter'), join(home, 'tmp/linked'));
    expect(
      Object.keys((JSON.parse((await promptLog.copy(home, ONE)) ?? '{}') as { projects: object }).projects),
    ).toEqual(['greeter']);
    linkSync(path, join(home, 'other-name'));
    await expect(promptLog.copy(home, ONE)).rejects.toThrow('has other names');
    expect(await promptLog.copy(tempDir(), ONE)).toBeUndefined();
  });
});
