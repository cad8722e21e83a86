import type { FileHomePlace } from './look-at-home.ts';
import type { TakenRecord } from './taken-record.ts';

/** Why what sessions share may not be changed now. They stay then, as what they were would still be told there. */
export function sharedObstacle({ home, agent }: FileHomePlace): string | undefined {
  for (const part of agent.shared ?? []) {
    const obstacle = part.obstacle?.(home);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

/** What there is of a session in files that it shares with others. */
export async function copyShared({ home, agent }: FileHomePlace, id: string): Promise<TakenRecord['shared']> {
  const copies: { name: string; copy: string }[] = [];
  for (const part of agent.shared ?? []) {
    const copy = await part.copy(home, id);
    if (copy !== undefined) copies.push({ name: part.name, copy });
  }
  return copies;
}

/** Takes out what a record has a copy of. */
export async function takeOutShared({ home, agent }: FileHomePlace, { id, shared }: TakenRecord): Promise<void> {
  for (const part of agent.shared ?? []) {
    const found = shared.find(({ name }) => name === part.name);
    if (found !== undefined) await part.takeOut(home, id, found.copy);
  }
}

export async function putBackShared({ home, agent }: FileHomePlace, { id, shared }: TakenRecord): Promise<void> {
  for (const part of agent.shared ?? []) {
    const found = shared.find(({ name }) => name === part.name);
    if (found !== undefined) await part.putBack(home, id, found.copy);
  }
}
