import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { openHome } from '../../src/index.ts';
import { captureIo } from '../capture-io.ts';
import { NOW } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Words that nothing else has. The last one is short enough to be found whole in an index of parts of words. */
const TEXT = ['quixotically', 'zephyrous', '鱻麤龘'];
const TOOL_OUTPUT = ['bramblewick', '靐齾爩'];
const REQUEST = ['snickersnee'];
const TITLE = ['wobblegong', '龗灪癵'];
const TAGS = ['tatterdemalion'];
/** Where it worked. */
const FOLDER = ['gallimaufry'];
const ALL = [...TEXT, ...TOOL_OUTPUT, ...REQUEST, ...TITLE, ...TAGS, ...FOLDER];

let home: string;

beforeEach(async () => {
  home = join(tempDir(), 'home');
  await using made = await openHome({ path: home, env: {}, clock: { now: () => NOW } });
  for (const id of ['before', 'secret', 'after']) {
    const mine = id === 'secret';
    const session = await made.sessions.create({
      id,
      source: 'cli',
      title: mine ? TITLE.join(' ') : `about ${id}`,
      ...(mine && { workdir: `/work/${FOLDER[0]}`, tags: TAGS }),
    });
    for (let turn = 0; turn < 40; turn += 1) {
      const words = mine ? TEXT.join(' ') : `plain words ${turn}`;
      const output = mine ? TOOL_OUTPUT.join(' ') : 'plain output';
      await session.appendAll([
        { role: 'user', content: `${words} in turn ${turn} of ${id}` },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'bash', arguments: { command: words } }] },
        { role: 'tool', toolCallId: 'c', name: 'bash', content: `${output} ${'x'.repeat(turn === 7 ? 30_000 : 10)}` },
      ]);
    }
    await session.dump({
      method: 'POST',
      url: 'https://example.com',
      body: { text: mine ? REQUEST.join(' ') : 'plain' },
    });
    await session.end('done');
  }
});

async function run(now: number, ...args: readonly string[]): Promise<void> {
  const { io, err } = captureIo({ env: { COPPICE_HOME: home }, now });
  const code = await main([...args, '--set', 'disk.ballast_mb=never'], io);
  expect({ args, code, err: err() }).toEqual({ args, code: 0, err: '' });
}

/** Those of the words that stand in any file of the home, with the file. */
function found(words: readonly string[]): string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name));
    return words.filter((word) => bytes.includes(Buffer.from(word))).map((word) => `${word} in ${name}`);
  });
}

const words = (places: readonly string[]) => new Set(places.map((place) => place.split(' ', 1)[0]));

describe('what is removed for good', () => {
  it('leaves no word in any file of the home when a person deletes it for good', async () => {
    await run(NOW + 40 * DAY_MS, 'plan', '--set', 'sessions.retention_days=30');
    expect(readdirSync(join(home, 'plans'))).toHaveLength(1);
    // Whoever chose it by words of it before left them in the record of that.
    const chosen = ['--title', 'wobblegong', '--project', '/work/gallimaufry', '--tag', 'tatterdemalion'];
    await run(NOW + 40 * DAY_MS, 'sessions', 'prune', '--files-only', '--older-than', '30d', ...chosen, '--yes');
    expect(words(found(ALL))).toEqual(new Set(ALL));
    await run(NOW + 40 * DAY_MS, 'sessions', 'delete', 'secret', '--purge', '--yes');
    await run(NOW + 40 * DAY_MS, 'trash', 'empty', '--all', '--yes');
    expect(found(ALL)).toEqual([]);
    expect(readdirSync(join(home, 'plans'))).toEqual([]);
    await using left = await openHome({ path: home, env: {}, clock: { now: () => NOW } });
    expect((await left.sessions.get('after'))?.messageCount).toBe(120);
  });

  it('leaves nothing of who was talking', async () => {
    await using made = await openHome({ path: home, env: {}, clock: { now: () => NOW } });
    const { gateway } = made;
    const { session } = await gateway.resolve({ key: 'mumpsimus:1', source: 'chat' });
    await gateway.reset('mumpsimus:1');
    expect(found(['mumpsimus']).length).toBeGreaterThan(0);
    await made.close();
    await run(NOW + DAY_MS, 'sessions', 'delete', session.id, '--purge', '--yes');
    expect(found(['mumpsimus'])).toEqual([]);
  });

  it('leaves no more than its title and its folder, in the ledger, when the trash is emptied', async () => {
    await run(NOW + 2 * DAY_MS, 'sessions', 'delete', 'secret', '--yes');
    expect(words(found(ALL))).toEqual(new Set(ALL));
    await run(NOW + 2 * DAY_MS, 'trash', 'empty', '--all', '--yes');
    expect(found([...TEXT, ...TOOL_OUTPUT, ...REQUEST, ...TAGS])).toEqual([]);
    expect(new Set(found([...TITLE, ...FOLDER]))).toEqual(
      new Set([...TITLE, ...FOLDER].map((word) => `${word} in state.db`)),
    );
  });

  it('leaves no more than its title and its folder, in the ledger, when its time in the trash is over', async () => {
    await run(NOW + 2 * DAY_MS, 'sessions', 'delete', 'secret', '--yes');
    await run(NOW + 20 * DAY_MS, 'sessions', 'delete', 'before', '--yes');
    expect(found([...TEXT, ...TOOL_OUTPUT, ...REQUEST, ...TAGS])).toEqual([]);
  });

  it('leaves no word of what was archived before', async () => {
    await run(NOW + 2 * DAY_MS, 'sessions', 'archive', '--older-than', '1d', '--yes');
    await run(NOW + 3 * DAY_MS, 'sessions', 'delete', 'secret', '--purge', '--yes');
    expect(found(ALL)).toEqual([]);
    await run(NOW + 3 * DAY_MS, 'sessions', 'restore', 'after');
  });
});
