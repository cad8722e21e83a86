// What the search index over homes of other agents takes, and how soon it answers. COPPICE_BENCH_SEARCH_MB says how much is said there.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHome } from '../dist/index.js';
import { format, median, report, timed } from './measure.js';
import { peakMegabytes } from './processes.js';

const MEGABYTES = Number(process.env.COPPICE_BENCH_SEARCH_MB ?? 64);
const BYTES_EACH = 512 * 1024;
const QUERIES = [
  'function',
  'compile',
  '"returns the"',
  'error handling',
  'promi',
  'zanzibar',
  'readonly -string',
  'x86_64',
  '磁盘',
  'config',
];
const ROUNDS = 5;
const NOW = Date.now();
const DAY_MS = 86_400_000;

export async function benchSearch(scratch) {
  const home = join(scratch, 'searched', '.pi', 'agent');
  const own = join(scratch, 'searched', '.coppice');
  const said = writeSessions(home);
  const env = { PI_CODING_AGENT_DIR: home, COPPICE_HOME: own };
  const before = process.env.COPPICE_HOME;
  process.env.COPPICE_HOME = own;
  try {
    const indexing = ['sessions', 'index', '--home', home];
    let peak = 0;
    const indexMs = await timed(() => {
      peak = peakMegabytes(indexing, scratch);
    });
    const what = `${format(said.bytes / 1e6)} MB of transcripts`;
    report(`peak memory: indexing ${what}`, peak, { limit: 250, unit: ' MB', note: `${format(indexMs / 1000)} s` });
    const index = statSync(join(own, 'search.db')).size;
    const note = `${format(index / 1e6)} MB; of what is said alone ${format((100 * index) / said.text)} %`;
    report(`search index / ${what}`, (100 * index) / said.bytes, { limit: 35, unit: ' %', note });
    await searchAll({ home, env, said });
  } finally {
    if (before === undefined) delete process.env.COPPICE_HOME;
    else process.env.COPPICE_HOME = before;
  }
}

async function searchAll({ home: path, env, said }) {
  const home = await openHome({ path, env });
  const old = { kind: 'archive', filter: {}, before: NOW - 340 * DAY_MS };
  const { done } = await home.apply(await home.plan(old));
  await home.sessions.index();
  const times = [];
  const slowest = { ms: 0, text: '' };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const text of QUERIES) {
      const ms = await timed(() => home.sessions.search({ text, limit: 11 }, { uncounted: true }));
      times.push(ms);
      if (ms > slowest.ms) Object.assign(slowest, { ms, text });
    }
  }
  report(`search ${said.messages} messages, live and archived, median`, median(times), {
    limit: 50,
    unit: ' ms',
    note: `${done} sessions archived of ${said.sessions}; slowest ${format(slowest.ms)} ms (${slowest.text})`,
  });
  await home.close();
}

/** Sessions of pi in which pieces of real text are said: sources and documentation, prompts short and answers of tools long. */
function writeSessions(home) {
  const corpus = realText();
  const said = { bytes: 0, text: 0, messages: 0, sessions: 0 };
  const total = MEGABYTES * 1e6;
  while (said.bytes < total) {
    const id = `01a1de38-c740-760c-b14e-${String(said.sessions).padStart(12, '0')}`;
    const at = NOW - 2 * DAY_MS - ((total - said.bytes) / total) * 360 * DAY_MS;
    const path = join(
      home,
      'sessions',
      `--work-${said.sessions % 50}--`,
      `${new Date(at).toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`,
    );
    mkdirSync(dirname(path), { recursive: true });
    const next = pieces(corpus, said.sessions);
    const lines = [{ type: 'session', version: 3, id, timestamp: new Date(at).toISOString(), cwd: '/work' }];
    for (let bytes = 0; bytes < BYTES_EACH; ) {
      const line = saidLine(lines.length, at, next);
      said.text += Buffer.byteLength(line.text);
      said.messages += 1;
      lines.push(line.line);
      bytes += line.text.length + 400;
    }
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    appendFileSync(path, text);
    utimesSync(path, at / 1000, at / 1000);
    said.bytes += Buffer.byteLength(text);
    said.sessions += 1;
  }
  return said;
}

function saidLine(number, startedAt, next) {
  const timestamp = new Date(startedAt + number * 1000).toISOString();
  const kind = number % 3;
  const text = next(kind === 0 ? 300 : kind === 1 ? 600 : 1600);
  const outer = { type: 'message', id: `m${number}`, parentId: `m${number - 1}`, timestamp };
  const content = [{ type: 'text', text }];
  const usage = { input: 1200, output: 40, cacheRead: 7, cacheWrite: 1, cost: { total: 0.001 } };
  const messages = [
    { role: 'user', content },
    { role: 'assistant', content, model: 'a-model', usage, responseId: `r${number}-${startedAt}` },
    { role: 'toolResult', toolCallId: `c${number}`, toolName: 'read', content },
  ];
  return { text, line: { ...outer, message: messages[kind] } };
}

/** A session is about some files, and comes back to them. */
const WINDOW = 400_000;

function pieces(corpus, session) {
  let seed = 20_261_119 + session * 7919;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
  random();
  const window = Math.floor(random() * (corpus.length - WINDOW));
  return (length) => {
    const from = window + Math.floor(random() * (WINDOW - 4 * length));
    return corpus.slice(from, from + Math.ceil(length * (0.2 + 1.6 * random())));
  };
}

const MOST_TEXT = 30e6;

function realText() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const texts = [];
  let length = 0;
  for (const folder of ['docs', 'src', 'test', 'node_modules']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (length > MOST_TEXT) return texts.join('\n');
      if (!entry.isFile() || !/\.(?:md|ts|js)$/.test(entry.name) || /\.min\./.test(entry.name)) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      if (text.length > 300_000) continue;
      texts.push(text);
      length += text.length;
    }
  }
  return texts.join('\n');
}
