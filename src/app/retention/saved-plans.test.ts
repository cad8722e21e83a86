import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { Plan, PlanRequest } from '../../core/retention/plan.ts';
import { DAY_MS } from '../../core/time.ts';
import { loadPlan, readPlanFile } from './load-plan.ts';
import { planId } from './plan-id.ts';
import { dropPlan, dropPlansNaming, savePlan, trimPlans } from './saved-plans.ts';

function aPlan(request: PlanRequest = { kind: 'policy' }): Plan {
  return {
    home: { id: 'h', path: '/home' },
    madeAt: NOW,
    request,
    decisions: [
      { item: { kind: 'session', id: 'a' }, sizeBytes: 1, action: 'keep', reason: 'pinned' },
      { item: { kind: 'trash', id: 'r' }, sizeBytes: 2, action: 'purge', reason: 'trash-expired', fingerprint: 'f' },
      {
        item: { kind: 'session', id: 'b' },
        sizeBytes: 3,
        action: 'remove',
        reason: 'pressure',
        fingerprint: 'g',
        skipsTrash: true,
      },
    ],
    notes: ['Read this.'],
    shortfalls: [
      { bytes: 5, heldBytes: { pinned: 1 } },
      { source: 'cli', bytes: 6, heldBytes: {} },
    ],
  };
}

const REQUESTS: readonly PlanRequest[] = [
  { kind: 'policy' },
  { kind: 'delete', ids: ['a', '../x'] },
  { kind: 'prune', filter: {}, part: 'all' },
  { kind: 'prune', filter: { source: 'cli', maxMessages: 3, title: 't' }, before: NOW - DAY_MS, part: 'files' },
  { kind: 'gc', filter: { workdir: '/w' }, emptyMs: 1, trivialMs: 2, trivialMaxMessages: 3 },
  { kind: 'archive', filter: { model: 'm', endedBy: 'done' }, before: NOW },
];

it.each(REQUESTS)('gives back exactly the plan that was saved: %j', (request) => {
  const home = tempDir();
  const plan = aPlan(request);
  const id = savePlan(home, plan, NOW);
  expect(id).toBe(planId(plan));
  expect(loadPlan(home, id)).toEqual(plan);
  expect(planId(loadPlan(home, id))).toBe(id);
});

it('keeps plans to the owner of the home', () => {
  const home = tempDir();
  const id = savePlan(home, aPlan(), NOW);
  expect(statSync(join(home, 'plans')).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, 'plans', `${id}.json`)).mode & 0o777).toBe(0o600);
});

it('refuses a plan of which anything was changed, and what is no plan', () => {
  const home = tempDir();
  const file = join(home, 'plans', `${savePlan(home, aPlan(), NOW)}.json`);
  const text = readFileSync(file, 'utf8');
  const changed = join(home, 'changed.json');
  for (const [from, to] of [
    ['"id":"b"', '"id":"a"'],
    ['"sizeBytes":3', '"sizeBytes":4'],
    ['"fingerprint":"g"', '"fingerprint":"h"'],
    ['"kind":"policy"', '"kind":"delete","ids":[]'],
    ['Read this.', 'Read that.'],
  ] as const) {
    writeFileSync(changed, text.replaceAll(from, to));
    expect(() => readPlanFile(changed)).toThrow('was changed since it was made');
  }
  for (const bad of ['', 'null', '[]', '{}', text.slice(0, -10), text.replace('"remove"', '"erase"')]) {
    writeFileSync(changed, bad);
    expect(() => readPlanFile(changed)).toThrow('is not a plan');
  }
});

it('reads nothing but plans by id, and no directory as a file', () => {
  const home = tempDir();
  writeFileSync(join(home, 'secret.json'), '{}');
  expect(() => loadPlan(home, '../secret')).toThrow('There is no saved plan');
  expect(() => loadPlan(home, '0123456789abcdef')).toThrow('There is no saved plan');
  expect(() => readPlanFile(home)).toThrow('There is no plan');
});

it('forgets plans that are more than a day old, and nothing else', () => {
  const home = tempDir();
  const plans = join(home, 'plans');
  mkdirSync(plans);
  const aged = (name: string, ageMs: number) => {
    writeFileSync(join(plans, name), 'x');
    utimesSync(join(plans, name), new Date(NOW - ageMs), new Date(NOW - ageMs));
  };
  aged('0000000000000001.json', 2 * DAY_MS);
  aged('0000000000000002.json', DAY_MS / 2);
  aged('letter.json', 2 * DAY_MS);
  const id = savePlan(home, aPlan(), NOW);
  expect(readdirSync(plans).toSorted()).toEqual(['0000000000000002.json', `${id}.json`, 'letter.json'].toSorted());
  dropPlan(home, id);
  dropPlan(home, id);
  expect(readdirSync(plans)).not.toContain(`${id}.json`);
});

it('keeps no more than fifty plans, and no more than 64 MB of them, the newest always', () => {
  const home = tempDir();
  const plans = join(home, 'plans');
  mkdirSync(plans);
  const nameOf = (number: number) => `${String(number).padStart(16, '0')}.json`;
  const write = (number: number, sizeBytes: number) => {
    const file = join(plans, nameOf(number));
    writeFileSync(file, 'x');
    truncateSync(file, sizeBytes);
    utimesSync(file, new Date(NOW - number * 1000), new Date(NOW - number * 1000));
  };
  for (let number = 1; number <= 60; number += 1) write(number, 1);
  const id = savePlan(home, aPlan(), NOW);
  const left = readdirSync(plans).toSorted();
  expect(left).toHaveLength(50);
  expect(left).toEqual([`${id}.json`, ...Array.from({ length: 49 }, (_, at) => nameOf(at + 1))].toSorted());
  write(3, 64 * 1024 * 1024);
  trimPlans(home, NOW);
  expect(readdirSync(plans).toSorted()).toEqual([`${id}.json`, nameOf(1), nameOf(2)].toSorted());
  truncateSync(join(plans, `${id}.json`), 65 * 1024 * 1024);
  trimPlans(home, NOW);
  expect(readdirSync(plans)).toEqual([`${id}.json`]);
});

it('forgets plans that name what is gone for good', () => {
  const home = tempDir();
  const [first, second] = [aPlan(), aPlan({ kind: 'delete', ids: ['other'] })].map((plan) => savePlan(home, plan, NOW));
  dropPlansNaming(home, ['oth']);
  expect(readdirSync(join(home, 'plans'))).toHaveLength(2);
  dropPlansNaming(home, ['other']);
  expect(readdirSync(join(home, 'plans'))).toEqual([`${first}.json`]);
  expect(second).not.toBe(first);
});

it('saves and forgets nothing behind a link', () => {
  const root = tempDir();
  const file = join(root, 'outside', `${'0'.repeat(16)}.json`);
  for (const name of ['outside', 'home']) mkdirSync(join(root, name));
  writeFileSync(file, '"a"');
  utimesSync(file, 1, 1);
  symlinkSync(join(root, 'outside'), join(root, 'home', 'plans'));
  expect(() => savePlan(join(root, 'home'), aPlan(), NOW)).toThrow('is a link');
  trimPlans(join(root, 'home'), NOW);
  dropPlansNaming(join(root, 'home'), ['a']);
  expect(() => dropPlan(join(root, 'home'), '0'.repeat(16))).toThrow('is a link');
  expect(readdirSync(join(root, 'outside'))).toEqual([`${'0'.repeat(16)}.json`]);
});
