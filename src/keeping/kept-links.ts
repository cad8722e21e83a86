import { basename, dirname } from 'node:path';
import type { JsonObject } from '../core/json.ts';
import { openBelow } from '../platform/files/directory-handle.ts';
import { appendToLog, readLog } from '../platform/files/json-log.ts';
import { writeFileAtomic } from '../platform/files/private-files.ts';

/** A session and the parent it came out of. */
export interface KeptLink {
  readonly child: string;
  readonly parent: string;
}

/**
 * Remembers which parent a session had when one of the two was taken away, so that whichever comes back later finds the other.
 * One line each; a line that was never needed does no harm.
 */
export interface KeptLinks {
  /** Durable when it returns. */
  add(links: readonly KeptLink[]): void;
  /** Those in which a session is either of the two. */
  of(id: string): readonly KeptLink[];
  /** Forgets links to parents that will never come back. */
  forget(parents: ReadonlySet<string>): void;
}

/** A file in the home. Read once: whoever opens it holds the lock under which it changes. */
export function openLinks(home: string, path: string): KeptLinks {
  const name = basename(path);
  const links = readEntries(home, path).flatMap(toLink);
  const byId = new Map<string, KeptLink[]>();
  const index = (link: KeptLink) => {
    for (const id of new Set([link.child, link.parent])) byId.set(id, [...(byId.get(id) ?? []), link]);
  };
  links.forEach(index);
  return {
    of: (id) => byId.get(id) ?? [],
    add(more) {
      if (more.length === 0) return;
      using folder = openBelow(home, dirname(path), { create: true });
      appendToLog(folder.at(name), more.map(asEntry));
      folder.sync();
      more.forEach(index);
    },
    forget(parents) {
      const kept = links.filter(({ parent }) => !parents.has(parent));
      if (kept.length === links.length) return;
      using folder = openBelow(home, dirname(path), { create: true });
      writeFileAtomic(folder.at(name), kept.map((link) => `${JSON.stringify(asEntry(link))}\n`).join(''));
    },
  };
}

function readEntries(home: string, path: string): readonly JsonObject[] {
  using folder = openBelow(home, dirname(path));
  return folder === undefined ? [] : readLog(folder.at(basename(path)));
}

function asEntry({ child, parent }: KeptLink): KeptLink {
  return { child, parent };
}

function toLink({ child, parent }: JsonObject): KeptLink[] {
  return typeof child === 'string' && typeof parent === 'string' ? [{ child, parent }] : [];
}
