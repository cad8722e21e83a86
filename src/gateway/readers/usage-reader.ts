import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { type FoundEntry, walkTree } from '../../platform/files/walk-tree.ts';
import { type AgentReader, type ReadRun, readerOf } from './agent-reader.ts';
import { createFileTail, type FileTail } from './file-tail.ts';
import { type FoundCall, isFields, type LineReader, type ToldLine } from './told-line.ts';

/** Reads what an agent writes about the calls it makes, after the fact. */
export interface UsageReader {
  /** Reads what was written since the last look. One look at a time. */
  look(): Promise<void>;
  /** The last look, when the agent has ended: also at a last line without an end. */
  finish(): Promise<void>;
}

export interface UsageReaderOptions {
  readonly run: ReadRun;
  /** Takes each call of the run, with a name that no other agent's has. May be given one more than once. */
  readonly take: (call: FoundCall) => Promise<void>;
}

/** Looking through a large home takes time, so it is looked through at most for this share of it, and not more often than this. */
const SCAN_SHARE = 20;
const SCAN_MS = 1000;
/** Times of files may be a little behind the clock. */
const SLACK_MS = 2000;
const ENTRIES_AT_ONCE = 200;

interface WatchedFile {
  readonly tail: FileTail;
  readonly read: LineReader;
  /** It was there before the run began. */
  readonly isOld: boolean;
  /** Undefined until a line has told. */
  isOurs: boolean | undefined;
}

/** Before the agent starts: notes what is there, so that only what grows is read. */
export async function startUsageReader(options: UsageReaderOptions): Promise<UsageReader> {
  const before = new Map<string, number>();
  for await (const { path, sizeBytes } of logsOf(options.run)) before.set(path, sizeBytes);
  return createReader(options, ({ path, sizeBytes }) => {
    const known = before.get(path);
    if (known === undefined) return 0;
    // Shorter than it was: another file under the same name.
    return known === sizeBytes ? undefined : known < sizeBytes ? known : 0;
  });
}

/** After a crash: reads all that a run whose supervisor died has written. What was counted before is known by its names. */
export async function readAfterCrash(options: UsageReaderOptions): Promise<void> {
  const { since } = options.run;
  await createReader(options, ({ modifiedAt }) => (modifiedAt >= since - SLACK_MS ? 0 : undefined)).finish();
}

/** Where to begin in a file; undefined when it is not to be read. */
type BeginAt = (entry: FoundEntry) => number | undefined;

function createReader({ run, take }: UsageReaderOptions, beginAt: BeginAt): UsageReader {
  const reader = readerOf(run.agent);
  const files = new Map<string, WatchedFile>();
  let nextScanAt = 0;
  const scan = async (): Promise<void> => {
    const from = performance.now();
    for await (const entry of logsOf(run)) {
      const fromBytes = files.has(entry.path) ? undefined : beginAt(entry);
      if (fromBytes === undefined || reader === undefined) continue;
      const tail = createFileTail({ root: run.root, path: entry.path, fromBytes });
      files.set(entry.path, { tail, read: reader.lines(), isOld: fromBytes > 0, isOurs: undefined });
    }
    const now = performance.now();
    nextScanAt = now + Math.max(SCAN_MS, (now - from) * SCAN_SHARE);
  };
  const readFile = async (file: WatchedFile, isLast: boolean): Promise<void> => {
    for await (const bytes of file.tail.more(isLast)) {
      const told = toldBy(bytes, file, reader);
      if (told === undefined) continue;
      file.isOurs ??= whose(told, run, reader);
      if (file.isOurs === false) return;
      const { call } = told;
      if (call === undefined || call.at < run.since) continue;
      if (file.isOurs ?? !file.isOld) await take({ ...call, id: `${run.agent}:${call.id}` });
    }
  };
  const lookOnce = async (isLast: boolean): Promise<void> => {
    if (isLast || performance.now() >= nextScanAt) await scan();
    for (const file of files.values()) if (file.isOurs !== false) await readFile(file, isLast);
  };
  let last = Promise.resolve();
  const inTurn = (isLast: boolean): Promise<void> => {
    const next = last.then(() => lookOnce(isLast));
    // Whoever asked is told by `next`; the one after only waits for its turn.
    last = next.catch(() => undefined);
    return next;
  };
  return { look: () => inTurn(false), finish: () => inTurn(true) };
}

/** Undefined for a line that tells nothing, such as one that was torn. */
function toldBy(bytes: Buffer, file: WatchedFile, reader: AgentReader | undefined): ToldLine | undefined {
  if (file.isOurs !== undefined && reader?.words.some((word) => bytes.includes(word)) !== true) return undefined;
  try {
    const line: unknown = JSON.parse(bytes.toString());
    return isFields(line) ? file.read(line) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file is of this run: its session is named on the command line, or it works in the same folder. */
function whose({ place, sessionId }: ToldLine, run: ReadRun, reader: AgentReader | undefined): boolean | undefined {
  if (sessionId !== undefined && run.sessionIds.includes(sessionId.toLowerCase())) return true;
  return place === undefined ? undefined : place === reader?.placeOf(run.cwd);
}

/** The files of an agent, a few at a time, so that nothing else has to wait. */
async function* logsOf({ agent, root }: ReadRun): AsyncGenerator<FoundEntry> {
  const reader = readerOf(agent);
  let count = 0;
  for (const entry of walkTree(root)) {
    count += 1;
    if (count % ENTRIES_AT_ONCE === 0) await setImmediate();
    if (entry.kind === 'file' && reader?.isLog(entry.path) === true) yield entry;
  }
}
