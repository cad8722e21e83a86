// Archiving against the codec alone, on the same bytes.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { nativeLayout } from '../dist/homes/native/native-layout.js';
import { createTranscriptFiles } from '../dist/homes/native/transcript-files.js';
import { openHome } from '../dist/index.js';
import { archiveLines } from '../dist/keeping/archive/archive-lines.js';
import { bundleSessions, storedLines } from '../dist/keeping/archive/bundle-sessions.js';
import { openBelow } from '../dist/platform/files/directory-handle.js';
import { openSqliteStore } from '../dist/store/sqlite/sqlite-store.js';
import { compare, format, median, report, timed } from './measure.js';
import { seeded, sentence } from './words.js';

const SESSIONS = 60;
const MESSAGES = 200;
const MB = 1024 * 1024;
const LF = Buffer.from('\n');
const compress = promisify(brotliCompress);

/** Sessions of a few hundred kilobytes, as a working day with an agent leaves them. */
export async function benchArchive(directory) {
  const path = join(directory, 'archive');
  await buildTalks(path);
  const layout = nativeLayout(path);
  const clock = { now: () => Date.now() + 100 * 24 * 60 * 60 * 1000 };
  const transcripts = createTranscriptFiles(layout, () => true);
  const store = await openSqliteStore({ path: layout.database, scratchDir: path, clock, transcripts });
  const stored = { store, layout, clock, codec: 'brotli' };
  const parts = { ...stored, linesOf: (runId, item) => storedLines(stored, runId, item) };
  const items = [];
  const plain = [];
  for await (const { id, contentBytes, transcriptBytes } of store.list({ sort: 'stored' })) {
    const lines = [];
    for await (const some of archiveLines(store.archive.documents(id), () =>
      openBelow(layout.root, layout.sessionDir(id)),
    ))
      lines.push(...some.map((line) => Buffer.concat([Buffer.from(line), LF])));
    plain.push(Buffer.concat(lines));
    items.push({ number: plain.length, item: { kind: 'session', id }, sizeBytes: contentBytes + transcriptBytes });
  }
  const bytes = plain.reduce((sum, { length }) => sum + length, 0);
  const ours = async () => {
    const bundled = await bundleSessions(parts, 'bench', items);
    if (bundled.some((one) => 'detail' in one)) throw new Error('a session was not bundled');
    rmSync(layout.archive, { recursive: true });
  };
  const cpu = { ours: [], bare: [] };
  const { oursMs, bareMs, ratio } = await compare(
    15,
    () => countCpu(cpu.ours, ours),
    () => countCpu(cpu.bare, () => codecAlone(plain)),
  );
  const cpuRatio = median(cpu.ours.map((used, round) => used / cpu.bare[round]));
  const speed = (ms) => `${format(bytes / MB / (ms / 1000))} MB/s`;
  const note = `${format(bytes / MB)} MB: ${speed(oursMs)}, codec ${speed(bareMs)}; CPU ${format(cpuRatio)}×`;
  report('rows to a verified bundle / the codec alone, time', ratio, { limit: 1 / 0.6, unit: '×', note });
  await store[Symbol.asyncDispose]();
  await reportWhole(path, bytes);
  rmSync(path, { recursive: true });
}

/** Time on all threads of this process, which tells more than the clock when the machine has other work. */
async function countCpu(into, work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  into.push(user + system);
}

/** One session after the other, and nothing but compressing. */
async function codecAlone(plain) {
  for (const data of plain) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: data.length };
    await compress(data, { params });
  }
}

/** From plan to the last row deleted, and back: what a person waits for. */
async function reportWhole(path, bytes) {
  const clock = { now: () => Date.now() + 100 * 24 * 60 * 60 * 1000 };
  const home = await openHome({ path, clock, settings: [{ key: 'sessions.keep_last', value: '1' }] });
  const plan = await home.plan({ kind: 'archive', filter: { source: 'cli' } });
  let run;
  const archive = await timed(async () => ({ run } = await home.apply(plan)));
  const restore = await timed(() => home.undo(run.id));
  await home.close();
  console.log(
    `     archive of ${SESSIONS} sessions (${format(bytes / MB)} MB) with rows deleted ${format(archive)} ms, restored ${format(restore)} ms`,
  );
}

async function buildTalks(path) {
  const home = await openHome({ path });
  const random = seeded(11);
  for (let at = 0; at < SESSIONS; at += 1) {
    const session = await home.sessions.create({ id: `talk-${at}`, source: 'cli' });
    const messages = Array.from({ length: MESSAGES }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: sentence(random, 60 + Math.floor(random() * 60)),
    }));
    await session.appendAll(messages);
    await session.end('done');
  }
  await home.close();
}
