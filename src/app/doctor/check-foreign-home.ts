import { existsSync } from 'node:fs';
import type { Problem } from '../../core/problem.ts';
import type { OpenedHome } from '../../homes/home-kind.ts';
import { checkpointsOf } from '../checkpoints/checkpoints-of.ts';
import { closestWord } from '../config/closest-word.ts';
import type { HomeParts } from '../home-parts.ts';
import { checkArchive } from './check-archive.ts';
import { type CheckOptions, type HomeCheck, settledOnTheWay } from './check-home.ts';
import { checkObjects } from './check-objects.ts';
import { leftoverProblems } from './check-leftovers.ts';
import { permissionProblems } from './check-permissions.ts';
import { OWN_DATABASE } from './repair-home.ts';

/**
 * Looks at everything in a home of another agent that decides whether it can be cut back: its shape, database, index, routes, files,
 * checkpoints, archive and settings. Changes nothing but what a dead process of Coppice left.
 */
export async function* checkForeignHome(
  parts: HomeParts,
  foreign: OpenedHome,
  { signal, onProgress }: CheckOptions = {},
): AsyncGenerator<HomeCheck> {
  const { reasons, driver } = foreign;
  yield { name: `${foreign.kind} home`, problems: reasons };
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
  const objects = await checkObjects(parts);
  if (objects !== undefined) yield objects;
  yield { name: 'checkpoints', ...(await checkpointsOf(parts).check()) };
  yield { name: 'config.yaml', problems: foreign.settingsProblems(closestWord) };
  yield { name: 'leftovers', problems: await leftoverProblems(parts) };
  if (existsSync(parts.layout.database)) yield await checkCompanion(parts, foreign);
}

/** Its files are closed to others, its database is whole, and its index knows what it holds: all of it can be put right here. */
async function checkCompanion({ layout }: HomeParts, foreign: OpenedHome): Promise<HomeCheck> {
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
