import type { SessionFacts } from '../../core/sessions/session.ts';
import { SORT_MEASURES, type SessionSort } from '../../core/stores/session-reader.ts';

/** A session among those of several homes. */
export interface SessionAt extends SessionFacts {
  /** What its home is called. */
  readonly home: string;
}

/** Sessions of one home, in the order that is asked for. */
export interface SessionSource {
  readonly name: string;
  readonly sessions: AsyncIterable<SessionFacts>;
}

/** The lists of several homes as one, in the order that each of them has already. */
export async function* mergeSessions(
  sources: readonly SessionSource[],
  sort: SessionSort = 'last',
): AsyncGenerator<SessionAt> {
  const measure = SORT_MEASURES[sort];
  const heads: Head[] = [];
  try {
    for (const { name, sessions } of sources) {
      const rest = sessions[Symbol.asyncIterator]();
      heads.push({ name, rest, next: await following(rest) });
    }
    for (;;) {
      const first = largest(heads, measure);
      if (first?.next === undefined) return;
      yield { ...first.next, home: first.name };
      first.next = await following(first.rest);
    }
  } finally {
    for (const { rest } of heads) await rest.return?.();
  }
}

interface Head {
  readonly name: string;
  readonly rest: AsyncIterator<SessionFacts>;
  next: SessionFacts | undefined;
}

async function following(rest: AsyncIterator<SessionFacts>): Promise<SessionFacts | undefined> {
  const { done, value } = await rest.next();
  return done === true ? undefined : value;
}

/** Of equals the first, so that the order is the same every time. */
function largest(heads: readonly Head[], measure: (facts: SessionFacts) => number): Head | undefined {
  let most: Head | undefined;
  for (const head of heads) {
    if (head.next === undefined) continue;
    if (most?.next === undefined || measure(head.next) > measure(most.next)) most = head;
  }
  return most;
}
