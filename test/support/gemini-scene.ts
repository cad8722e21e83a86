import { createHash } from 'node:crypto';
import { appendFileSync, linkSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { walkTree } from '../../src/platform/files/walk-tree.ts';
import { FILE_NOW, type FileHomeScene, jsonLines, putFile } from './file-home-scene.ts';
import {
  chatPath,
  geminiContext,
  geminiHeader,
  geminiId,
  geminiLines,
  type GeminiSpec,
  geminiTurn,
  putGemini,
  putPromptLog,
  putStores,
  usedAt,
} from './gemini-home.ts';

const PLAIN: GeminiSpec = { id: geminiId('1') };
/** Has something in every store, and prompts in the list. */
const WHOLE: GeminiSpec = { id: geminiId('2'), daysAgo: 41, prompts: ['One', 'Two'], summary: 'A greeting' };
/** Taken up again in a later minute, which left a second file with nothing said in it. */
const TWIN: GeminiSpec = { id: geminiId('3'), daysAgo: 42 };
const TORN: GeminiSpec = { id: geminiId('4'), daysAgo: 43 };
/** Of a version that kept one document, in a project that a newer one copied. */
const COPIED: GeminiSpec = { id: geminiId('5'), daysAgo: 44, old: true };
const LEGACY: GeminiSpec = {
  id: geminiId('6'),
  old: true,
  project: createHash('sha256').update('/home/ada/older').digest('hex'),
};
/** Somebody wrote to it after it had gone, so that its first line is missing. */
const HEADLESS: GeminiSpec = { id: 'deadbeef-dca5-4193-9790-000000000001', daysAgo: 45 };
const LINKED_OUTPUT: GeminiSpec = { id: geminiId('7'), daysAgo: 46 };
const TODAY: GeminiSpec = { id: geminiId('8'), daysAgo: 0.2 };
/** Brought back from a backup, with the time that its file had then. */
const RESTORED: GeminiSpec = { id: geminiId('9'), daysAgo: 0.3, writtenDaysAgo: 40 };
const OTHER_KIND: GeminiSpec = { id: geminiId('a'), daysAgo: 47, kind: 'swarm' };
const LINKED: GeminiSpec = { id: geminiId('b'), daysAgo: 48 };
/** What a file may say that names files of others. */
const HOSTILE: GeminiSpec = { id: 'tool-outputs', project: 'hostile' };
const CLIMBING: GeminiSpec = { id: '../../../outside', project: 'hostile', daysAgo: 49 };
const ALL = [PLAIN, WHOLE, TWIN, TORN, COPIED, LEGACY, LINKED_OUTPUT, TODAY, RESTORED, OTHER_KIND, LINKED];

const HEADLESS_NAME = 'session-2026-08-17T12-00-deadbeef';
const GARBAGE = 'session-2026-08-01T00-00-0badf00d';
const EMPTY = 'session-2026-08-01T00-00-00000000';

export const GEMINI_IDS = { plain: PLAIN.id, whole: WHOLE.id, twin: TWIN.id, copied: COPIED.id, garbage: GARBAGE };

/** A home of Gemini CLI with every trap that it can set. */
export const geminiScene: FileHomeScene = {
  build(home) {
    for (const spec of [...ALL, HOSTILE]) putGemini(home, spec);
    putStores(home, WHOLE);
    putStores(home, { ...HOSTILE, id: geminiId('d') });
    const old = FILE_NOW - 50 * DAY_MS;
    const climbing = `tmp/hostile/chats/session-2026-08-01T00-00-aaaaaaaa.jsonl`;
    putFile(home, climbing, jsonLines(geminiLines(CLIMBING)), old);
    const again = usedAt(TWIN) + HOUR_MS;
    putFile(home, chatPath(TWIN, again), jsonLines([geminiHeader(TWIN, again), geminiContext(again)]), again);
    // Somebody was killed in the middle of a line.
    appendFileSync(join(home, chatPath(TORN)), '{"id":"x","timestamp":"2026-08-');
    utimesSync(join(home, chatPath(TORN)), old / 1000, old / 1000);
    const hashed = createHash('sha256').update('/home/ada/greeter').digest('hex');
    const copy = chatPath({ ...COPIED, project: hashed });
    putFile(home, copy, readFileSync(join(home, chatPath(COPIED))), usedAt(COPIED));
    const said = geminiTurn(HEADLESS.id, 'Nobody knows whose', usedAt(HEADLESS));
    putFile(home, `tmp/greeter/chats/${HEADLESS_NAME}.jsonl`, jsonLines(said), usedAt(HEADLESS));
    putFile(home, `tmp/greeter/chats/${GARBAGE}.jsonl`, 'PK\u0003\u0004 nothing that it writes\n', old);
    putFile(home, `tmp/greeter/chats/${EMPTY}.jsonl`, '', old);
    // The only one with an output and a single file in which it is told.
    putFile(home, `tmp/greeter/tool-outputs/session-${TORN.id}/1.txt`, 'output', old);
    putPromptLog(
      home,
      'greeter',
      [WHOLE, PLAIN, WHOLE, TWIN, TODAY, PLAIN].map(({ id }, at) => [id, `Prompt “${at}”`]),
    );
    putLinks(home);
    putOthers(home, old);
  },
  removable: [PLAIN.id, WHOLE.id, TWIN.id, TORN.id, COPIED.id, LEGACY.id, HEADLESS_NAME],
  held: [LINKED_OUTPUT.id, TODAY.id, RESTORED.id, OTHER_KIND.id, LINKED.id, GARBAGE, EMPTY, HOSTILE.id, CLIMBING.id],
  change: (home, id) => appendFileSync(fileOf(home, id), jsonLines(geminiTurn(id, 'One more', FILE_NOW - 2 * DAY_MS))),
  uses: {
    // It leaves no other trace: it opens a file, adds to it, and closes it.
    active: (home, id) => utimesSync(fileOf(home, id), FILE_NOW / 1000, (FILE_NOW - HOUR_MS) / 1000),
  },
  shared: (path) => path === 'tmp/greeter/logs.json',
  spares: true,
};

function putLinks(home: string): void {
  const outside = join(dirname(home), 'elsewhere');
  mkdirSync(outside);
  putFile(outside, 'session-2026-08-01T00-00-ffffffff.jsonl', jsonLines(geminiLines({ id: geminiId('e') })), FILE_NOW);
  linkSync(join(home, chatPath(LINKED)), join(outside, 'backup.jsonl'));
  mkdirSync(join(home, 'tmp', 'linked'), { recursive: true });
  symlinkSync(outside, join(home, 'tmp', 'linked', 'chats'));
  symlinkSync(outside, join(home, 'tmp', 'other-project'));
  putFile(home, `tmp/greeter/tool-outputs/session-${LINKED_OUTPUT.id}/1.txt`, 'output', usedAt(LINKED_OUTPUT));
  symlinkSync(outside, join(home, `tmp/greeter/tool-outputs/session-${LINKED_OUTPUT.id}/2.txt`));
}

/** What is of no session, or of one that is gone. */
function putOthers(home: string, old: number): void {
  const put = (path: string, content = 'mine') => putFile(home, path, content, old);
  put('settings.json', '{}');
  put('oauth_creds.json', '{"key":"secret"}');
  put('projects.json', '{"projects":{"/home/ada/greeter":"greeter"}}');
  put(`projects.json.${geminiId('f')}.tmp`, '{');
  for (const project of ['greeter', 'gone', 'hostile']) put(`tmp/${project}/.project_root`, `/home/ada/${project}`);
  put('history/greeter/.git/HEAD', 'ref: refs/heads/main\n');
  put('tmp/greeter/checkpoints/2026-08-01T00-00-00_000Z-a.ts-replace.json', '{}');
  put('tmp/greeter/checkpoint-before-lunch.json', '{"history":[]}');
  put('tmp/greeter/chats/notes.txt');
  put(`tmp/gone/tool-outputs/session-${geminiId('10')}/1.txt`, 'of a session that is gone');
  put('tmp/bin/rg', 'program');
  put('antigravity/something.bin');
}

function fileOf(home: string, id: string): string {
  for (const { path } of walkTree(home, { skips: (each) => each === '.coppice' })) {
    if (!/\/chats\/session-[^/]+$/.test(path)) continue;
    const text = readFileSync(join(home, path), 'utf8');
    if (text.includes(`"sessionId": "${id}"`) || text.includes(`"sessionId":"${id}"`) || path.includes(`/${id}.`))
      return join(home, path);
  }
  throw new Error(`no session ${id}`);
}
