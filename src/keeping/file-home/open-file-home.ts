import type { Clock, EpochMs } from '../../core/time.ts';
import { openRows, type Rows } from '../row-home/rows.ts';
import { type SessionCounter, createCounter } from './count-session.ts';
import { createDescriber, type Describer } from './describe-sessions.ts';
import type { FoundSession } from './file-agent.ts';
import { type FileHomePlace, type LookedHome, lookAtHome } from './look-at-home.ts';
import { hasSameNames } from './walk-home-tree.ts';

/** A home whose sessions are files, as whoever reads or changes it shares it: what was read once is not read again. */
export interface FileHome extends FileHomePlace {
  readonly clock: Clock;
  /** Looks at all of it anew. */
  look(signal?: AbortSignal): Promise<LookedHome>;
  /** The same, unless somebody did a moment ago. */
  recentLook(): Promise<LookedHome>;
  readonly describer: Describer;
  readonly counter: SessionCounter;
  /** Its sessions, where they are rows of a database and no files. */
  readonly rows?: Rows;
}

/** Several questions about one session come together. */
const MOMENT_MS = 500;

/**
 * Opens a home to read it or to change it. Real time, and not the clock of the home, says how long ago it was looked at: that is about
 * the file system.
 */
export function openFileHome({ home, agent, clock }: FileHomePlace & { readonly clock: Clock }): FileHome {
  let last: { readonly at: number; readonly walkedAt: EpochMs; readonly look: Promise<LookedHome> } | undefined;
  const look = (signal?: AbortSignal) => {
    const found = lookAtHome({ home, agent }, clock.now(), signal);
    const noted = { at: performance.now(), walkedAt: Date.now(), look: found };
    last = noted;
    const forget = () => {
      if (last === noted) last = undefined;
    };
    found.catch(forget);
    return found;
  };
  const recentLook = async () => {
    if (last === undefined || performance.now() - last.at > MOMENT_MS) return look();
    const { walkedAt } = last;
    const found = await last.look;
    return hasSameNames(found.tree, walkedAt) ? found : look();
  };
  const describer = createDescriber({ home, agent });
  const parentOf = async (session: FoundSession) => {
    const id = session.parentId ?? (await describer.one(session)).parentId;
    return id === undefined ? undefined : (await recentLook()).byId.get(id);
  };
  const counter = createCounter({ home, agent }, parentOf);
  const rows = agent.rows && openRows({ home, agent: agent.rows, clock });
  return { home, agent, clock, look, recentLook, describer, counter, ...(rows && { rows }) };
}
