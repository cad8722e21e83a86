import type { SessionReader } from '../../src/core/stores/session-reader.ts';
import type { HomeKind } from '../../src/homes/home-kind.ts';
import { FILE_NOW } from './file-home-scene.ts';

/** The sessions of a home of another agent, only to be read. */
export async function readerAt(kind: HomeKind, home: string): Promise<SessionReader> {
  const reader = (await kind.detect(home))?.reader({ now: () => FILE_NOW });
  if (reader === undefined) throw new Error(`${home} is no home of ${kind.agent}`);
  return reader;
}
