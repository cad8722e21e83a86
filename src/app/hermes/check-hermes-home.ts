import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import { checkHermesConfig } from '../../homes/hermes/hermes-config-check.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { closestWord } from '../config/closest-word.ts';
import { checkArchive } from '../doctor/check-archive.ts';
import { type CheckOptions, type HomeCheck, settledOnTheWay } from '../doctor/check-home.ts';
import { leftoverProblems } from '../doctor/check-leftovers.ts';
import { permissionProblems } from '../doctor/check-permissions.ts';
import { OWN_DATABASE } from '../doctor/repair-home.ts';
import type { ForeignHome, HomeParts } from '../home-parts.ts';
import { scanHermesCheckpoints } from './hermes-inventory.ts';

/**
 * Looks at everything in a Hermes home that decides whether it can be cut back: its shape, database, index, routes, files,
 * checkpoints, archive and settings. Changes nothing but what a dead process of Coppice left.
 */
export async function* checkHermesHome(
  parts: HomeParts,
  foreign: ForeignHome,
  { signal, onProgress }: CheckOptions = {},
): AsyncGenerator<HomeCheck> {
  const { path, reasons, driver } = foreign;
  yield { name: 'hermes home', problems: reasons };
  for await (const check of settledOnTheWay(parts)) {
    signal?.throwIfAborted();
    yield check;
  }
  const { sessions, strays, problems } = await driver.scan({
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  });
  const known = new Set(reasons.map(({ kind, subject }) => `${kind} ${subject}`));
  const found = problems.filter(
    ({ kind, subject }) => !known.has(`${kind} ${subject}`) && !subject.startsWith('archive/'),
  );
  yield {
    name: 'sessions and files',
    looked: sessions.length,
    problems: [...found, ...strays.filter(({ kind }) => kind === 'orphan').map(({ id }) => orphan(id))],
  };
  yield await checkArchive(parts, { ...(signal && { signal }), ...(onProgress && { onProgress }) });
  const checkpoints = await scanHermesCheckpoints(path);
  const count = checkpoints.projects.reduce((sum, { snapshots }) => sum + snapshots.length, 0);
  yield { name: 'checkpoints', looked: count, problems: checkpoints.problems };
  yield { name: 'config.yaml', problems: configProblems(path) };
  yield { name: 'leftovers', problems: await leftoverProblems(parts) };
  if (existsSync(parts.layout.database)) yield await checkCompanion(parts, foreign);
}

/** Its files are closed to others, its database is whole, and its index knows what it holds: all of it can be put right here. */
async function checkCompanion({ layout }: HomeParts, foreign: ForeignHome): Promise<HomeCheck> {
  const problems = [...permissionProblems(layout)];
  for await (const check of foreign.checkOwn()) problems.push(...check.problems.map(ofCompanion));
  return { name: 'records of Coppice', problems };
}

/** Two databases have the same name, and only one of them is ours. */
function ofCompanion(problem: Problem): Problem {
  const subject = problem.subject === 'state.db' ? OWN_DATABASE : problem.subject;
  return { ...problem, subject, message: `In what Coppice keeps about this home: ${problem.message}` };
}

function orphan(subject: string): Problem {
  return { kind: 'orphan', subject, message: `${subject} belongs to no session that the database knows.` };
}

function configProblems(home: string): Problem[] {
  const text = readIfThere(join(home, 'config.yaml'));
  if (text instanceof Error) {
    const message = `config.yaml cannot be read: ${text.message.replace(/\.$/, '')}.`;
    return [{ kind: 'config-unreadable', subject: 'config.yaml', message }];
  }
  const environment = readEnvironment(join(home, '.env'));
  return checkHermesConfig(text, { closest: closestWord, environment });
}

function readIfThere(path: string): string | Error {
  try {
    return readRegular(path).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What Hermes reads from its `.env`, as far as the checks ask. Values are looked at and never shown. */
function readEnvironment(path: string): Record<string, string> {
  const text = readIfThere(path);
  if (text instanceof Error) return {};
  const lines = text.matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*(.*?)[ \t]*$/gm);
  return Object.fromEntries(
    Array.from(lines, ([, name = '', value = '']) => [name, value.replace(/^(["'])(.*)\1$/, '$2')]),
  );
}
