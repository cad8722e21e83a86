import { appendFileSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { CLAUDE_STORES, claudeHome, claudeId, dayOf, linesText } from './claude-home.ts';
import { claudeLines as linesOn } from './claude-lines.ts';
import { FILE_NOW, type FileHomeScene } from './file-home-scene.ts';

const OLD = FILE_NOW - 40 * DAY_MS;
const OLDER = FILE_NOW - 50 * DAY_MS;

const claudeLines = (id: string) => linesOn(id, dayOf(OLDER));

export const CLAUDE_IDS = {
  plain: claudeId('1'),
  /** Has something in every store, and prompts in the history. */
  whole: claudeId('2'),
  /** A copy of it, with the same saved files. */
  fork: claudeId('3'),
  subagents: claudeId('4'),
  torn: claudeId('5'),
  moved: claudeId('6'),
  /** Begins like another one. */
  alike: `${claudeId('1').slice(0, -1)}2`,
  /** The beginning of a subagent of another session is told there. */
  needed: claudeId('7'),
  needing: claudeId('8'),
  open: claudeId('9'),
  fresh: claudeId('a'),
  damaged: claudeId('b'),
  newer: claudeId('c'),
  elsewhere: claudeId('d'),
  gone: claudeId('e'),
} as const;

/** A home of Claude Code with every trap that it can set. */
export const claudeScene: FileHomeScene = {
  build(path) {
    mkdirSync(path);
    const at = claudeHome(path);
    const { plain, whole, fork, subagents, torn, moved, alike, needed, needing, open, fresh, damaged, newer } =
      CLAUDE_IDS;
    at.session(plain, { at: OLD });
    at.session(alike, { at: OLD, stores: ['outputs', 'todos'] });
    const prompt = { ...claudeLines(whole).user('Please change the greeting', { parentUuid: null }) };
    const answer = claudeLines(whole).text('m-1', 'Changed.');
    at.session(whole, { at: OLDER, stores: CLAUDE_STORES, lines: [prompt, answer] });
    const queued = {
      type: 'queue-operation',
      operation: 'enqueue',
      timestamp: `${dayOf(OLD)}T07:00:00Z`,
      sessionId: fork,
    };
    const copied = [prompt, answer].map((line) => ({ ...line, sessionId: fork }));
    at.session(fork, { at: OLD, lines: [queued, ...copied, claudeLines(fork).text('m-2', 'In the fork.')] });
    at.share(`file-history/${whole}/a409efec87c7f4ab@v1`, `file-history/${fork}/a409efec87c7f4ab@v1`);
    const reference = (parentSessionId: string) => ({ type: 'fork-context-ref', agentId: 'a1', parentSessionId });
    const aside = (id: string) => claudeLines(id).text(`m-${id}-aside`, 'Two functions.');
    at.session(subagents, { at: OLD, subagents: { 'agent-a1': [reference(subagents), aside(subagents)] } });
    at.session(needed, { at: OLD });
    at.session(needing, {
      at: OLD,
      subagents: { 'agent-a1': [reference(needed), aside(needing)] },
      stores: ['outputs'],
    });
    const line = linesText([claudeLines(torn).user('Hello')]);
    at.session(torn, { at: OLD, text: `${line}{"type":"assistant","uuid":"a1","mess` });
    at.session(moved, { at: OLD, stores: ['title'] });
    at.session(moved, { at: OLDER, folder: '-before' });
    at.session(open, { at: OLDER });
    at.register(open);
    at.session(fresh, { at: FILE_NOW - HOUR_MS / 2 });
    at.session(damaged, { at: OLD, text: 'PK\u0003\u0004 nothing that it writes\n' });
    at.session(newer, { at: OLD, lines: [{ ...claudeLines(newer).user('Hi'), version: '3.0.1' }] });
    at.session(CLAUDE_IDS.elsewhere, { at: OLD });
    at.write('sessions/7.json', JSON.stringify({ pid: 7, sessionId: CLAUDE_IDS.elsewhere, pidDomain: 'linux:x' }), OLD);
    at.prompts(
      [whole, fork, whole, open, plain, fork].map((id, n) => [id, `prompt ${n}`] as const),
      OLDER,
    );
    for (const store of ['file-history', 'tasks']) at.write(`${store}/${CLAUDE_IDS.gone}/1`, 'left', OLDER);
    at.write(`debug/${CLAUDE_IDS.gone}.txt`, 'left', OLDER);
    at.write('settings.json.tmp.4711.1795052827635', '{', OLDER);
    at.write('projects/-work-demo/memory/MEMORY.md', 'mine', OLDER);
    at.write('projects/-work-demo/notes.jsonl', 'mine', OLDER);
    at.write('.credentials.json', '{"key":"secret"}', OLDER);
    at.write('settings.json', '{}', OLDER);
    symlinkSync(dirname(path), join(path, 'debug/latest'));
  },
  removable: [
    CLAUDE_IDS.fork,
    CLAUDE_IDS.whole,
    CLAUDE_IDS.plain,
    CLAUDE_IDS.alike,
    CLAUDE_IDS.subagents,
    CLAUDE_IDS.needing,
    CLAUDE_IDS.torn,
    CLAUDE_IDS.moved,
  ],
  held: [
    CLAUDE_IDS.needed,
    CLAUDE_IDS.open,
    CLAUDE_IDS.fresh,
    CLAUDE_IDS.damaged,
    CLAUDE_IDS.newer,
    CLAUDE_IDS.elsewhere,
  ],
  change: (home, id) => appendFileSync(transcriptOf(home, id), linesText([claudeLines(id).user('One more')])),
  uses: {
    active(home, id) {
      claudeHome(home).register(id);
      utimesSync(transcriptOf(home, id), OLD / 1000, OLD / 1000);
    },
  },
  secret: (path) => /^session-env\/[^/]+\/[^/ ]+$/.test(path),
  spares: true,
};

function transcriptOf(home: string, id: string): string {
  return join(home, `projects/-work-demo/${id}.jsonl`);
}
