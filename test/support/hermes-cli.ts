import { main } from '../../src/cli/main.ts';
import type { SessionFacts } from '../../src/index.ts';
import { captureIo } from '../capture-io.ts';
import { HERMES_NOW } from './hermes-home.ts';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line on a home, at the time at which built homes are looked at. */
export async function runOn(
  home: string | undefined,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const { io, out, err } = captureIo({ now: HERMES_NOW, env });
  const code = await main(home === undefined ? args : ['--home', home, ...args], io);
  return { code, out: out(), err: err() };
}

/** The document that a command prints for programs. */
export async function jsonOn<T>(home: string, args: readonly string[]): Promise<T> {
  const { out, err, code } = await runOn(home, ['--json', ...args]);
  if (out === '') throw new Error(`exit ${code}: ${err}`);
  return JSON.parse(out) as T;
}

/** The ids of the sessions that a home lists. */
export async function listedOn(home: string, args: readonly string[]): Promise<string[]> {
  const { sessions } = await jsonOn<{ sessions: SessionFacts[] }>(home, ['sessions', 'list', ...args]);
  return sessions.map(({ id }) => id);
}
