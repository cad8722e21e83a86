import { lstatSync } from 'node:fs';
import { readableStore } from '../../checkpoints/store/readable-store.ts';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { shellWord } from '../../core/shell-word.ts';
import { beginsTranscript } from '../../homes/native/begins-transcript.ts';
import { closeEntries } from '../../homes/native/open-entries.ts';
import { transcriptProblems } from '../../homes/native/transcript-check.ts';
import { goneHolders } from '../../keeping/liveness/active-sessions.ts';
import { checkpointStoreOptions } from '../checkpoints/checkpoint-store.ts';
import { sessionsConfigFor } from '../config/config-for-source.ts';
import type { HomeParts } from '../home-parts.ts';
import { listStrayTrash, strayProblem } from '../retention/stray-trash.ts';

/** A repair is told twice: before it is begun, and with what became of it. */
export type RepairStep =
  | { readonly status: 'begun'; readonly name: string; readonly message: string }
  | ({ readonly status: 'done'; readonly name: string } & RepairResult);

export interface RepairResult {
  readonly message: string;
  /** What could not be repaired safely, with the next step. */
  readonly left: readonly Problem[];
}

export interface RepairParts extends HomeParts {
  /** Finishes what a crash cut short, and lays in the reserve. */
  readonly settle: () => Promise<void>;
}

interface Repair {
  readonly name: string;
  /** The kinds of problems that it is for. */
  readonly kinds: readonly string[];
  readonly begin: (count: number) => string;
  readonly act: (parts: RepairParts, problems: readonly Problem[]) => Promise<RepairResult>;
}

/**
 * Repairs those of the problems that a check found whose repair is provably safe: nothing that anybody wrote is removed, and
 * what was worked out from the messages is worked out again. All else is for a person. A damaged database is not written to.
 */
export async function* repairHome(parts: RepairParts, problems: readonly Problem[]): AsyncGenerator<RepairStep> {
  for (const { name, kinds, begin, act } of repairsFor(parts, problems)) {
    const concerned = problems.filter(({ kind }) => kinds.includes(kind));
    if (concerned.length === 0) continue;
    yield { status: 'begun', name, message: begin(concerned.length) };
    yield { status: 'done', name, ...(await orLeft(() => act(parts, concerned), concerned)) };
  }
}

/** What the database of Coppice itself is called where it lies in the home of another agent. */
export const OWN_DATABASE = '.coppice/state.db';

/** Of a home of another agent, what Coppice keeps about it; the rest is for that agent, or a person, to put right. */
function repairsFor({ foreign }: RepairParts, problems: readonly Problem[]): readonly Repair[] {
  const isOurs = ({ kind, subject }: Problem) =>
    kind === 'reference-broken' || (kind === 'database-damaged' && (foreign === undefined || subject === OWN_DATABASE));
  if (problems.some(isOurs)) return [PERMISSIONS];
  return foreign === undefined ? [...REPAIRS, TRANSCRIPTS] : REPAIRS;
}

/** A repair that fails leaves its problems as they were, with its own reason as the next step. */
async function orLeft(act: () => Promise<RepairResult>, problems: readonly Problem[]): Promise<RepairResult> {
  try {
    return await act();
  } catch (error) {
    const message = errorText(error);
    const hint = error instanceof Failure ? error.hint : undefined;
    return {
      message: `Not repaired: ${message}`,
      left: problems.map((problem) => ({ ...problem, ...(hint !== undefined && { hint }) })),
    };
  }
}

const PERMISSIONS: Repair = {
  name: 'permissions',
  kinds: ['open-to-others'],
  begin: () => 'Closing the files of the home to other users of this machine.',
  async act({ layout }) {
    const { closed, left } = closeEntries(layout);
    return {
      message: `${counted(closed, 'file or folder', 'files and folders')} closed.`,
      left: left.map(({ path, obstacle }) => ({ kind: 'open-to-others', subject: path, message: obstacle })),
    };
  },
};

const UNFINISHED: Repair = {
  name: 'unfinished work',
  kinds: ['unfinished-run', 'unfinished-removal', 'reserve-missing', 'left-behind'],
  begin: () => 'Finishing runs and removals that were cut short, and laying in the reserve for a full disk.',
  async act({ store, settle }) {
    await store.repair.removals();
    await settle();
    return done('Nothing is unfinished.');
  },
};

/** Of what Coppice keeps in whatever home. */
const REPAIRS: readonly Repair[] = [
  PERMISSIONS,
  UNFINISHED,
  {
    name: 'trash of checkpoints',
    kinds: ['trash-stray'],
    begin: (count) => `Listing ${counted(count, 'checkpoint', 'checkpoints')} again that no run knows of.`,
    async act(parts) {
      const store = readableStore(checkpointStoreOptions(parts));
      const left = store === undefined ? [] : await listStrayTrash(store, parts.store.journal);
      return { message: 'Nothing was removed.', left: left.map(strayProblem) };
    },
  },
  {
    name: 'claims',
    kinds: ['claim-left'],
    begin: () => 'Forgetting which sessions processes used that are gone.',
    async act({ store, clock }) {
      const gone = await goneHolders(store, clock);
      await store.repair.forget(gone);
      return done(`${counted(gone.length, 'process', 'processes')} forgotten. No session was touched.`);
    },
  },
  {
    name: 'message counts',
    kinds: ['count-wrong'],
    begin: (count) => `Counting the messages of ${counted(count, 'session', 'sessions')} anew.`,
    act: async ({ store }) =>
      done(`The counts of ${counted(await store.repair.counts(), 'session', 'sessions')} are right again.`),
  },
  {
    name: 'search index',
    kinds: ['index-wrong'],
    begin: (count) =>
      `Building ${counted(count, 'search index', 'search indexes')} anew from what is stored. Agents that write wait meanwhile.`,
    async act({ store }, problems) {
      for (const { subject } of problems) await store.repair.index(subject);
      return done(`${counted(problems.length, 'search index is', 'search indexes are')} complete again.`);
    },
  },
];

const TRANSCRIPTS: Repair = {
  name: 'transcripts',
  kinds: ['transcript-missing', 'transcript-behind', 'transcript-ahead'],
  begin: (count) => `Writing ${counted(count, 'transcript', 'transcripts')} again from the database.`,
  async act(parts, problems) {
    const left: Problem[] = [];
    for (const problem of problems) left.push(...(await repairTranscript(parts, problem)));
    return {
      message: `${counted(problems.length - left.length, 'transcript', 'transcripts')} complete again.`,
      left,
    };
  },
};

/** What is still wrong with a transcript afterwards. One that holds anything else than its messages is not written to. */
async function repairTranscript(parts: HomeParts, problem: Problem): Promise<readonly Problem[]> {
  const { store, layout, config } = parts;
  const session = await store.get(problem.subject);
  // Removed since it was looked at.
  if (session === undefined) return [];
  if (sessionsConfigFor(config, session.source).transcripts === 'off') {
    const setting = shellWord(`sessions.by_source.${session.source}.transcripts=on`);
    return [
      {
        ...problem,
        hint: `Transcripts of its source are off. Write it with: coppice doctor --repair --set ${setting}`,
      },
    ];
  }
  if (!(await mayBeWritten(parts, session))) {
    const path = shellWord(layout.transcript(session.id));
    const hint = `It holds something else than the messages of the session. Move ${path} away, then run: coppice doctor --repair`;
    return [{ ...problem, kind: 'transcript-damaged', hint }];
  }
  const said = await store.repair.transcript(session.id);
  const after = await store.get(session.id);
  const wrong = after === undefined ? [] : await transcriptProblems(layout.transcript(session.id), after);
  return wrong.length > 0 && said.length > 0 ? said : wrong;
}

/** Too long is mended by the writer, who keeps every whole line; too short must be a beginning and nothing else. */
async function mayBeWritten({ store, layout }: HomeParts, session: SessionFacts): Promise<boolean> {
  const path = layout.transcript(session.id);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.size >= session.transcriptBytes) return true;
  return beginsTranscript(path, { session, messages: (from) => store.messages(session.id, { from, rewound: true }) });
}

function done(message: string): RepairResult {
  return { message, left: [] };
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
