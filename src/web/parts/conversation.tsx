import { useEffect, useState } from 'preact/hooks';
import type { Answer } from '../../client/api.ts';
import { formatCount } from '../../core/format.ts';
import { type ApiFailure, asFailure } from '../api/api-failure.ts';
import { call } from '../api/call.ts';
import { MessageView } from './message.tsx';
import { Empty, Failed, Loading } from './states.tsx';

type Message = Answer<'GET /api/sessions/{id}/messages'>['messages'][number];

/** So many messages are drawn at once, however long the conversation is. */
const PAGE = 100;
const BEFORE_HIT = 10;

interface ConversationProps {
  readonly id: string;
  /** The number of a message to begin near to. */
  readonly at: number | undefined;
}

/** The messages of a session, a page at a time: to the beginning, to the end, earlier and later. */
export function Conversation({ id, at }: ConversationProps) {
  const [from, setFrom] = useState(at === undefined ? 1 : Math.max(1, at - BEFORE_HIT));
  const [page, setPage] = useState<{ messages: readonly Message[]; total: number; next: number | undefined }>();
  const [failure, setFailure] = useState<ApiFailure | undefined>();
  useEffect(() => {
    const stop = new AbortController();
    const load = async () => {
      try {
        const query = { from, limit: PAGE };
        const answer = await call('GET /api/sessions/{id}/messages', { id, query, signal: stop.signal });
        setPage({ messages: answer.messages, total: answer.total ?? 0, next: answer.next });
        setFailure(undefined);
      } catch (error) {
        if (!stop.signal.aborted) setFailure(asFailure(error));
      }
    };
    void load();
    return () => stop.abort();
  }, [id, from]);
  useEffect(() => {
    if (page === undefined) return;
    const target = at === undefined ? undefined : document.querySelector(`#m${at}`);
    target?.scrollIntoView({ block: 'center' });
  }, [page?.messages]);
  if (failure !== undefined) return <Failed failure={failure} />;
  if (page === undefined) return <Loading what="the conversation" />;
  const { messages, total, next } = page;
  if (messages.length === 0 && from === 1) return <Empty>Nothing was said in it.</Empty>;
  const last = messages.at(-1)?.seq ?? from;
  const steps = (
    <nav class="steps" aria-label="Through the conversation">
      <button type="button" disabled={from <= 1} onClick={() => setFrom(1)}>
        Beginning
      </button>
      <button type="button" disabled={from <= 1} onClick={() => setFrom(Math.max(1, from - PAGE))}>
        Earlier
      </button>
      <span>
        {formatCount(from)} to {formatCount(last)} of {formatCount(total)}
      </span>
      <button type="button" disabled={next === undefined} onClick={() => setFrom(next ?? from)}>
        Later
      </button>
      <button type="button" disabled={next === undefined} onClick={() => setFrom(Math.max(1, total - PAGE + 1))}>
        End
      </button>
    </nav>
  );
  const isLong = total > PAGE;
  return (
    <section class="conversation" aria-label="Conversation">
      {isLong && steps}
      {messages.map((message) => (
        <MessageView key={message.seq} message={message} isHit={message.seq === at} />
      ))}
      {isLong && steps}
    </section>
  );
}
