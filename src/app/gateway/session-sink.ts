import { OK, type Verdict } from '../../core/gateway/gateway.ts';
import { contentBytes, type NewMessage, outputMessage } from '../../core/sessions/message.ts';
import type { RunEvent } from '../../gateway/run/output/run-event.ts';
import type { OutputChunk, RunSink } from '../../gateway/run/output/run-sink.ts';
import { forbids, strictest } from '../../gateway/strictest.ts';
import type { Turn } from '../../gateway/turn.ts';
import type { Session } from '../sessions/session.ts';
import type { UsageWays } from './usage-ways.ts';

export interface SessionSink {
  readonly sink: RunSink;
  /** Keeps the first verdict that forbids to go on. */
  readonly heed: (verdict: Verdict) => Verdict;
  /** Has a verdict of somebody else passed on with the next check. */
  readonly remark: (verdict: Verdict) => void;
  readonly stoppedBy: () => Verdict | undefined;
}

/** Where a run is recorded, and which verdict was the first to forbid that it goes on. */
export function createSessionSink(session: Session, turn: Turn, ways: UsageWays): SessionSink {
  let first: Verdict | undefined;
  let remarked: Verdict = OK;
  const heed = (verdict: Verdict): Verdict => {
    if (forbids(verdict)) first ??= verdict;
    return verdict;
  };
  const add = async (message: NewMessage): Promise<Verdict> => {
    await session.append(message);
    return turn.message({ bytes: contentBytes(message) });
  };
  const sink: RunSink = {
    event: async (event) => {
      // What is counted in another way is not counted again because the agent tells of it too.
      if (event.kind === 'usage' && !ways.take('events')) return heed(await turn.output());
      return heed(await take(session, turn, { event, add }));
    },
    output: async (chunk) => {
      await session.append(outputOf(chunk));
      return heed(await turn.output());
    },
    async check(since) {
      const said = remarked;
      remarked = OK;
      return heed(strictest([await turn.check(since), said]));
    },
  };
  const remark = (verdict: Verdict): void => void (remarked = strictest([remarked, verdict]));
  return { sink, heed, remark, stoppedBy: () => first };
}

async function take(
  session: Session,
  turn: Turn,
  { event, add }: { event: RunEvent; add: (message: NewMessage) => Promise<Verdict> },
): Promise<Verdict> {
  switch (event.kind) {
    case 'message':
      return add(event.message);
    case 'usage':
      return turn.usage(
        event.cumulative === undefined ? event.usage : { ...event.usage, kind: 'cumulative', of: event.cumulative },
      );
    case 'tool': {
      const { name, ok, args } = event;
      await turn.toolCall({ name, ...(args !== undefined && { args }) });
      return turn.toolResult({ name, ok });
    }
    case 'iteration':
      return turn.beforeIteration();
    case 'title':
      await session.rename(event.title);
      return turn.output();
    case 'note':
    default:
      return add({ role: 'system', content: event.text, metadata: { note: true } });
  }
}

function outputOf({ stream, text, omittedBytes }: OutputChunk): NewMessage {
  return outputMessage(stream, omittedBytes === 0 ? text : `[${omittedBytes} bytes left out]\n${text}`);
}
