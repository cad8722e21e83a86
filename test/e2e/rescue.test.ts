import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { dumpFileHome, FILE_NOW, jsonLines, putFile } from '../support/file-home-scene.ts';
import {
  chatPath,
  geminiContext,
  geminiHeader,
  geminiId,
  type GeminiSpec,
  putGemini,
  putStores,
  usedAt,
} from '../support/gemini-home.ts';
import { startGemini } from '../support/gemini-start.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();
let people = 0;

/** The program reads the clock of the machine. */
const inDays = (days: number) => (FILE_NOW - Date.now()) / DAY_MS + days;
const IN_GEMINI = ['--home', 'gemini-cli', '--set', 'homes.rescue=true'];
const PROMPTS = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
/** Taken up again, which left a second chat with nothing said in it: both go when Gemini CLI starts. */
const RESUMED: GeminiSpec = { id: geminiId('1'), daysAgo: inDays(9), prompts: PROMPTS };
const PLAIN: GeminiSpec = { id: `${'b'.repeat(8)}-dca5-4193-9790-000000000001`, daysAgo: inDays(9), prompts: PROMPTS };

interface Expiring {
  readonly items: readonly {
    readonly item: { readonly id: string };
    readonly by: string;
    readonly at: string;
    readonly rescued?: boolean;
  }[];
}

/** Somebody who keeps sessions for ever, in a home in which Gemini CLI does not. */
function person() {
  const user = join(root, `person-${(people += 1)}`);
  const home = join(user, '.gemini');
  const project = join(user, 'greeter');
  mkdirSync(project, { recursive: true });
  for (const spec of [RESUMED, PLAIN]) putGemini(home, spec);
  putStores(home, RESUMED);
  const again = usedAt(RESUMED) + HOUR_MS;
  putFile(home, chatPath(RESUMED, again), jsonLines([geminiHeader(RESUMED, again), geminiContext(again)]), again);
  putFile(home, 'tmp/greeter/.project_root', project);
  return { own: join(user, '.coppice'), home, project };
}

describe('a session that a start of Gemini CLI would remove', () => {
  it('is announced, archived before it starts, and comes back afterwards as it was', async () => {
    const { own, home } = person();
    const before = dumpFileHome(home);
    const { items } = await coppiceJson<Expiring>(own, ['expiring', '--within', '1d', ...IN_GEMINI]);
    expect(items).toMatchObject([{ item: { id: RESUMED.id }, by: 'agent', kept: true, rescued: true }]);
    expect((await coppice(own, ['expiring', ...IN_GEMINI])).stdout).toMatch(
      /^next start +01a1de37\S* .*Gemini CLI +FOR GOOD, but archived before/m,
    );
    expect(dumpFileHome(home)).toEqual(before);

    const pass = await coppice(own, ['maintain', '--auto', ...IN_GEMINI]);
    expect(pass.stdout).toMatch(/^Archived 1 session that its agent was about to delete\./);
    startGemini(home, 'greeter', Date.now());
    expect(existsSync(join(home, chatPath(RESUMED)))).toBe(false);
    expect(readFileSync(join(home, chatPath(PLAIN)), 'utf8')).toContain('Six');

    const restored = await coppice(own, ['sessions', 'restore', RESUMED.id, '--home', 'gemini-cli']);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(dumpFileHome(home)).toEqual(before);
  });

  it('is lost without that, which shows that the start does what was announced', () => {
    const { home } = person();
    startGemini(home, 'greeter', Date.now());
    expect(dumpFileHome(home).filter((line) => line.includes(RESUMED.id.slice(0, 8)))).toEqual([]);
    expect(existsSync(join(home, chatPath(PLAIN)))).toBe(true);
  });

  it('is in nobody’s way where its project is gone: nobody starts Gemini CLI there', async () => {
    const { own, home } = person();
    putFile(home, 'tmp/greeter/.project_root', join(root, 'not-there'));
    const { items } = await coppiceJson<Expiring>(own, ['expiring', '--within', '1d', ...IN_GEMINI]);
    expect(items).toEqual([]);
  });
});
