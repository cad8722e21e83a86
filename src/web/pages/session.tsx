import { useAnswer } from '../api/use-answer.ts';
import { Conversation } from '../parts/conversation.tsx';
import { Link } from '../parts/link.tsx';
import { SessionHead } from '../parts/session-head.tsx';
import { Empty, WhenReady } from '../parts/states.tsx';
import { place } from '../place.ts';
import { changes } from '../plan/receipt.tsx';

/** One session: what is known of it, and the conversation as it was. */
export function SessionPage() {
  const { id, at } = place.value.query;
  if (id === undefined) {
    return (
      <Empty>
        No session was named. <Link to="/sessions">Choose one</Link>
      </Empty>
    );
  }
  return <OneSession key={`${id} ${at}`} id={id} at={at} />;
}

function OneSession({ id, at }: { readonly id: string; readonly at: string | undefined }) {
  return (
    <>
      <p>
        <Link to="/sessions">All sessions</Link>
      </p>
      <Known key={changes.value} id={id} />
      <Conversation id={id} at={at === undefined ? undefined : Number(at)} />
    </>
  );
}

function Known({ id }: { readonly id: string }) {
  const { asked, again } = useAnswer('GET /api/sessions/{id}', { id, query: { exact: true } });
  return (
    <WhenReady asked={asked} again={again} what="the session">
      {(session) => <SessionHead session={session} />}
    </WhenReady>
  );
}
