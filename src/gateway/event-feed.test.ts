import { describe, expect, it } from 'vitest';
import { manualClock } from '../../test/support/clock.ts';
import { createEventFeed, type FeedEvent } from './event-feed.ts';

function feed() {
  const events = createEventFeed(manualClock());
  return { events, say: (message: string) => events.publish({ kind: 'warning', message }) };
}

/** Follows until so many events came. */
async function take(events: ReturnType<typeof createEventFeed>, count: number, after?: number): Promise<FeedEvent[]> {
  const stop = new AbortController();
  const seen: FeedEvent[] = [];
  for await (const event of events.follow({ ...(after !== undefined && { after }), signal: stop.signal })) {
    seen.push(event);
    if (seen.length === count) stop.abort();
  }
  return seen;
}

describe('the feed of events', () => {
  it('gives everybody everything, in order, from where they were', async () => {
    const { events, say } = feed();
    for (const message of ['a', 'b', 'c']) say(message);
    expect((await take(events, 3, 0)).map(({ message }) => message)).toEqual(['a', 'b', 'c']);
    expect((await take(events, 1, 2)).map(({ id, message }) => [id, message])).toEqual([[3, 'c']]);
  });

  it('tells new events to those who wait, and only new ones to those who name no place', async () => {
    const { events, say } = feed();
    say('before');
    const waiting = [take(events, 1), take(events, 2, 0)];
    await new Promise((resolve) => setImmediate(resolve));
    say('after');
    const heard = await Promise.all(waiting);
    expect(heard.map((seen) => seen.map(({ message }) => message))).toEqual([['after'], ['before', 'after']]);
  });

  it('says that there is a gap when the place is no longer kept', async () => {
    const { events, say } = feed();
    for (let number = 1; number <= 2010; number += 1) say(String(number));
    const [first, second] = await take(events, 2, 3);
    expect([first?.kind, second?.id]).toEqual(['gap', 11]);
  });

  it('stops at once when told to, also in the middle of what is kept', async () => {
    const { events, say } = feed();
    for (const message of ['a', 'b', 'c']) say(message);
    expect(await take(events, 2, 0)).toHaveLength(2);
  });
});
