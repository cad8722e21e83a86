import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildHermesHome, HERMES_NOW, type HermesHomeSpec } from '../../../../test/support/hermes-home.ts';
import { openHermes } from '../database/hermes-connection.ts';
import { evidenceOf, type HermesLiveness, readLiveness } from './hermes-liveness.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const SESSIONS = [{ id: 's', sessionKey: 'agent:main:telegram:dm:1' }, { id: 'other' }];
const SOON = HERMES_NOW + 1000;
const DEAD_PID = spawnSync(process.execPath, ['--version']).pid;

function livenessOf(spec: HermesHomeSpec): HermesLiveness {
  buildHermesHome(home, { schema: 30, sessions: SESSIONS, ...spec });
  return look();
}

function look(): HermesLiveness {
  const hermes = openHermes(home);
  try {
    return readLiveness(home, hermes, HERMES_NOW);
  } finally {
    hermes.close();
  }
}

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function change(sql: string): void {
  const db = new BetterSqlite3(join(home, 'state.db'));
  db.exec(sql);
  db.close();
}

const inUse = ({ inUse: ids }: HermesLiveness) => Object.fromEntries(ids);

describe('what says that a Hermes session is in use', () => {
  it('is nothing in a home at rest', () => {
    expect(livenessOf({})).toEqual({ inUse: new Map(), gatewayAlive: false, problems: [] });
  });

  it('is a route, of whatever scope', () => {
    const routes = [
      { key: 'k', sessionId: 's' },
      { key: 'k', sessionId: 'other', scope: '/elsewhere' },
    ];
    expect(inUse(livenessOf({ routes }))).toEqual({ s: 'route', other: 'route' });
  });

  it('is a route in the mirror, whose notes are not routes', () => {
    const files = { 'sessions/sessions.json': JSON.stringify({ _README: 'text', k: { session_id: 's' } }) };
    expect(inUse(livenessOf({ files }))).toEqual({ s: 'route' });
  });

  it('is a compression lock that has not expired, by a clock that may have been set', () => {
    const compressionLocks = [
      { id: 's', expiresAt: HERMES_NOW - 500_000 },
      { id: 'other', expiresAt: HERMES_NOW - 600_000 },
    ];
    expect(inUse(livenessOf({ compressionLocks }))).toEqual({ s: 'compression-lock' });
  });

  it('is a message that waits to be stored, by the id or by the route, wherever the file names it', () => {
    livenessOf({});
    write('pending_messages/pending-1.json', { reason: 'transcript_cap_drop', data: { session_id: 's', message: {} } });
    write('pending_messages/note.txt', 'other');
    expect(inUse(look())).toEqual({ s: 'pending' });
    write('pending_messages/pending-1.json', [{ session_key: 'agent:main:telegram:dm:1' }, { session_id: 'gone' }]);
    expect(inUse(look())).toEqual({ s: 'pending' });
    write('pending_messages/pending-2.json', '{ half');
    expect(look().problems).toMatchObject([{ kind: 'activity-unknown', subject: 'pending_messages' }]);
  });

  it('is not a turn lease that expired long ago', () => {
    expect(inUse(livenessOf({ turnLeases: [{ id: 's', expiresAt: HERMES_NOW - 600_000 }] }))).toEqual({});
  });

  it('is a turn lease that has not expired, by the id or by the route of the conversation', () => {
    expect(inUse(livenessOf({ turnLeases: [{ id: 'agent:main:telegram:dm:1', expiresAt: SOON }] }))).toEqual({
      s: 'turn-lease',
    });
  });

  it('is unknown for all when a running turn names nothing that exists', () => {
    const { problems } = livenessOf({ turnLeases: [{ id: 'nobody', expiresAt: SOON }] });
    expect(problems).toMatchObject([{ kind: 'activity-unknown', subject: 'session_turn_leases' }]);
  });

  it('is a lease of a living process, or of one that cannot be told', () => {
    livenessOf({});
    const entry = (session_id: string, pid: unknown) => ({ lease_id: session_id, session_id, pid });
    write('runtime/active_sessions.json', { entries: [entry('s', process.pid), entry('other', DEAD_PID)] });
    expect(inUse(look())).toEqual({ s: 'active-lease' });
    write('runtime/active_sessions.json', [entry('s', 'odd'), entry('other', null)]);
    expect(inUse(look())).toEqual({ s: 'active-lease', other: 'active-lease' });
  });

  it('is a delegation that runs', () => {
    const delegations = [
      { sessionId: 's', state: 'running' },
      { sessionId: 'other', state: 'completed' },
    ];
    const { inUse: ids } = livenessOf({ delegations });
    expect(ids.get('s')).toBe('delegation');
    expect(ids.has('other')).toBe(false);
  });

  it('is a delegation that has not come to its end, whatever its state is called, or is to be delivered', () => {
    const delegations = [
      { sessionId: 's', state: 'running' },
      { sessionId: 'other', state: 'completed' },
    ];
    livenessOf({ delegations });
    change(`UPDATE async_delegations SET state = 'dispatched', delivery_state = 'none'`);
    expect([...look().inUse.keys()]).toContain('s');
    expect([...look().inUse.keys()]).not.toContain('other');
    change(`UPDATE async_delegations SET state = 'completed', completed_at = 1, delivery_state = 'pending'`);
    expect([...look().inUse.keys()]).toEqual(expect.arrayContaining(['s', 'other']));
  });

  it('is a topic that is bound to it', () => {
    expect(inUse(livenessOf({ topicBindings: ['s'] }))).toEqual({ s: 'topic' });
  });

  it('is its own row: a handoff on its way, or that it never ended', () => {
    const liveness = livenessOf({});
    expect(evidenceOf(liveness, { id: 's', endedAt: 1, handedOff: true })).toBe('handoff');
    expect(evidenceOf(liveness, { id: 's', handedOff: false })).toBe('open');
    expect(evidenceOf(liveness, { id: 's', endedAt: 1, handedOff: false })).toBeUndefined();
  });

  it('is known of the gateway by its heartbeat or its process', () => {
    const old = HERMES_NOW - 3_600_000;
    expect(livenessOf({ heartbeats: [{ pid: DEAD_PID, lastAt: HERMES_NOW - 1000 }] }).gatewayAlive).toBe(true);
    rmSync(home, { recursive: true });
    expect(livenessOf({ heartbeats: [{ pid: process.pid, lastAt: old }] }).gatewayAlive).toBe(true);
    rmSync(home, { recursive: true });
    expect(livenessOf({ heartbeats: [{ pid: DEAD_PID, lastAt: old }] }).gatewayAlive).toBe(false);
  });

  it('is unknown for all when evidence cannot be read', () => {
    livenessOf({});
    const damage = [
      ['sessions/sessions.json', '{ half'],
      ['sessions/sessions.json', { k: { session_id: 7 } }],
      ['sessions/sessions.json', []],
      ['runtime/active_sessions.json', ''],
      ['runtime/active_sessions.json', { entries: [{}] }],
    ] as const;
    for (const [path, content] of damage) {
      write(path, content);
      expect(look().problems).toMatchObject([{ kind: 'activity-unknown', subject: path }]);
      rmSync(join(home, path));
    }
  });

  it('asks for nothing that older homes do not have', () => {
    expect(livenessOf({ schema: 'legacy' }).problems).toEqual([]);
  });
});
