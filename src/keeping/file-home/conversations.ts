import type { FoundSession } from './file-agent.ts';
import type { LookedHome } from './look-at-home.ts';
import type { FileHome } from './open-file-home.ts';

/** Which sessions go on in others. They share one fate: no part goes while a later one is there, or another one is in use. */
export interface Conversations {
  /** Why a session cannot leave. `leaving` are those that go before it. */
  obstacle(session: FoundSession, leaving: ReadonlySet<string>): Promise<string | undefined>;
}

/** Sessions name the one that they came out of; whether they continue it is told when they are looked into. */
export function conversationsIn(home: FileHome, { sorted, byId }: LookedHome): Conversations {
  const children = new Map<string, FoundSession[]>();
  for (const session of sorted.sessions) {
    if (session.parentId === undefined) continue;
    const known = children.get(session.parentId);
    if (known === undefined) children.set(session.parentId, [session]);
    else known.push(session);
  }
  const continues = async (session: FoundSession) =>
    session.parentId !== undefined && (await home.describer.one(session)).childKind === 'continuation';
  const laterThan = async ({ id }: FoundSession) => {
    const later: FoundSession[] = [];
    for (const child of children.get(id) ?? []) if (await continues(child)) later.push(child);
    return later;
  };
  return {
    async obstacle(session, leaving) {
      const later = await laterThan(session);
      if (later.some(({ id }) => !leaving.has(id))) return 'A later part of its conversation is still there.';
      const seen = new Set([session.id]);
      let part = session;
      while (await continues(part)) {
        const before = byId.get(part.parentId ?? '');
        if (before === undefined || seen.has(before.id)) return undefined;
        if (before.active) return 'Another part of its conversation is in use.';
        if (before.pinned === true) return 'Another part of its conversation is pinned.';
        seen.add(before.id);
        part = before;
      }
      return undefined;
    },
  };
}
