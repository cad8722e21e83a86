import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject } from '../../core/json.ts';
import { errorCode } from '../../platform/error-code.ts';
import { makePrivateDir, syncDir, writeFileAtomic } from '../../platform/private-files.ts';

/** A session and the parent it came out of. */
export interface HermesLink {
  readonly child: string;
  readonly parent: string;
}

/**
 * Remembers which parent a session had when one of the two was taken away, so that whichever comes back later finds the other.
 * One line each; a line that was never needed does no harm.
 */
export interface HermesLinks {
  /** Durable when it returns. */
  add(links: readonly HermesLink[]): void;
  /** Those in which a session is either of the two. */
  of(id: string): readonly HermesLink[];
  /** Forgets links to parents that will never come back. */
  forget(parents: ReadonlySet<string>): void;
}

/** Read once: whoever opens it holds the lock under which it changes. */
export function openHermesLinks(path: string): HermesLinks {
  const links = readText(path).split('\n').flatMap(readLine);
  const byId = new Map<string, HermesLink[]>();
  const index = (link: HermesLink) => {
    for (const id of new Set([link.child, link.parent])) byId.set(id, [...(byId.get(id) ?? []), link]);
  };
  links.forEach(index);
  return {
    of: (id) => byId.get(id) ?? [],
    add(more) {
      if (more.length === 0) return;
      makePrivateDir(dirname(path));
      const handle = openSync(path, 'a', 0o600);
      try {
        // A line that a crash cut off stays alone.
        appendFileSync(handle, `\n${more.map(toLine).join('\n')}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      syncDir(dirname(path));
      more.forEach(index);
    },
    forget(parents) {
      const kept = links.filter(({ parent }) => !parents.has(parent));
      if (kept.length < links.length) writeFileAtomic(path, kept.map((link) => `${toLine(link)}\n`).join(''));
    },
  };
}

function toLine({ child, parent }: HermesLink): string {
  return JSON.stringify({ child, parent });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

function readLine(line: string): HermesLink[] {
  try {
    const link: unknown = JSON.parse(line);
    if (!isJsonObject(link)) return [];
    const { child, parent } = link;
    return typeof child === 'string' && typeof parent === 'string' ? [{ child, parent }] : [];
  } catch {
    // Nothing, or a line that a crash cut off before it counted.
    return [];
  }
}
