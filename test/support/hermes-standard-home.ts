import { join } from 'node:path';
import {
  buildHermesHome,
  HERMES_DAY,
  HERMES_NOW,
  type HermesHomeSpec,
  type HermesSessionSpec,
  structured,
} from './hermes-home.ts';
import type { HermesJournal, HermesSchema } from './hermes-schema.ts';

/** One of every trap that the format holds. Tests name its sessions, so that a trap that changes breaks them. */
export function standardHermesHome(dir: string, schema: HermesSchema = 25, journal: HermesJournal = 'wal'): string {
  return buildHermesHome(dir, standardSpec(dir, schema, journal));
}

/** Ids that are legal for Hermes and wrong as names, patterns or prefixes. */
export const NASTY_IDS = [
  'a',
  'a_b',
  'a_b_20260101_000000_000000',
  '*',
  'a/b',
  '../x',
  'two\nlines',
  'é%_',
  'x'.repeat(120),
];

export const LIVE_IDS = {
  open: 'live-open',
  routed: 'live-routed',
  otherScope: 'live-other-scope',
  mirrored: 'live-mirrored',
  compressing: 'live-compressing',
  leased: 'live-leased',
  registered: 'live-registered',
  handedOff: 'live-handed-off',
  delegating: 'live-delegating',
  bound: 'live-bound',
  pending: 'live-pending',
} as const;

function standardSpec(dir: string, schema: HermesSchema, journal: HermesJournal): HermesHomeSpec {
  const work = (name: string) => join(dir, '..', 'work', name);
  const firstAt = HERMES_NOW - 3 * HERMES_DAY;
  const soon = HERMES_NOW + 60_000;
  const past = HERMES_NOW - 3_600_000;
  return {
    schema,
    journal,
    sessions: [...plainSessions(), ...liveSessions(), ...families()],
    routes: [
      { key: 'agent:main:telegram:dm:1', sessionId: LIVE_IDS.routed },
      { key: 'agent:main:telegram:dm:2', sessionId: LIVE_IDS.otherScope, scope: '/elsewhere/sessions' },
      { key: 'agent:main:telegram:dm:3', sessionId: 'long-gone' },
    ],
    compressionLocks: [
      { id: LIVE_IDS.compressing, expiresAt: soon },
      { id: 'plain', expiresAt: past },
    ],
    ...(schema === 30 && {
      turnLeases: [
        { id: LIVE_IDS.leased, expiresAt: soon },
        { id: 'plain', expiresAt: past },
      ],
      heartbeats: [{ pid: process.pid, lastAt: HERMES_NOW - 5000 }],
    }),
    delegations: [
      { sessionId: LIVE_IDS.delegating, state: 'running' },
      { sessionId: 'plain', state: 'completed' },
    ],
    topicBindings: [LIVE_IDS.bound],
    meta: { last_auto_prune: String(HERMES_NOW / 1000 - 86_400) },
    files: standardFiles(),
    checkpoints:
      schema === 'legacy'
        ? { v1: [{ workdir: work('one'), reasons: ['before write_file', 'before patch'], firstAt }] }
        : {
            v2: [
              { workdir: work('one'), reasons: ['before write_file', 'before patch'], firstAt },
              { workdir: work('two'), reasons: ['before terminal'], firstAt },
            ],
          },
  };
}

function plainSessions(): HermesSessionSpec[] {
  return [
    {
      id: 'plain',
      messages: ['hello', 'hi'],
      title: 'Plain',
      cwd: '/projects/app',
      files: ['snapshot', 'transcript', 'dump'],
    },
    { id: 'structured', messages: [structured([{ type: 'text', text: 'x'.repeat(500) }])] },
    { id: 'empty', end: 'cron_complete', source: 'cron' },
    { id: 'pinned', messages: ['keep me'], pinned: true },
    { id: 'archived', messages: ['put away'], archived: true },
    ...NASTY_IDS.map(
      (id): HermesSessionSpec => ({ id, source: 'api_server', messages: [id], files: ['snapshot', 'dump'] }),
    ),
  ];
}

function liveSessions(): HermesSessionSpec[] {
  return Object.values(LIVE_IDS).map((id) => ({
    id,
    source: 'telegram',
    messages: ['still here'],
    end: id === LIVE_IDS.open ? 'open' : 'agent_close',
    ...(id === LIVE_IDS.handedOff && { handoff: 'pending' }),
  }));
}

function families(): HermesSessionSpec[] {
  const later = HERMES_NOW - 90 * HERMES_DAY;
  return [
    { id: 'root', messages: ['start'], end: 'compression' },
    { id: 'tip', parent: 'root', messages: ['summary'], startedAt: later },
    { id: 'forked', parent: 'root', modelConfig: { _branched_from: 'root' }, startedAt: later },
    { id: 'helper', parent: 'root', modelConfig: { _delegate_from: 'root' }, startedAt: later },
    { id: 'tool-child', parent: 'root', source: 'tool', startedAt: later },
    { id: 'fresh', parent: 'plain', modelConfig: { _reset_from: 'plain' }, startedAt: later },
    { id: 'old-trunk', end: 'branched' },
    { id: 'old-fork', parent: 'old-trunk', startedAt: later },
    { id: 'odd-config', modelConfig: 'not json', messages: ['?'] },
  ];
}

function standardFiles(): Record<string, string> {
  const mirror = { _README: 'a note', 'agent:main:telegram:dm:4': { session_id: LIVE_IDS.mirrored } };
  const lease = { lease_id: 'l1', session_id: LIVE_IDS.registered, pid: process.pid, surface: 'cli' };
  return {
    'sessions/sessions.json': JSON.stringify(mirror),
    'sessions/.sessions_ab12.tmp': '{}',
    'sessions/saved/hermes_conversation_20260101_000000.json': '{}',
    'sessions/20260101_000000_abcdef.jsonl': '{}\n',
    'sessions/session_20260101_000000_abcdef.json': '{}',
    'sessions/request_dump_gone_20260101_000000_000000.json': '{"secret":true}',
    'sessions/notes.json': '{"mine":true}',
    'sessions/session_notes.json': '{"mine":true}',
    'sessions/README.txt': 'mine',
    'runtime/active_sessions.json': JSON.stringify({ entries: [lease] }),
    'runtime/active_sessions.lock': '',
    'state.db.malformed-backup-20260101_000000': 'x'.repeat(100),
    'state.db.zeroed-20260101_000000-42.bak': 'x'.repeat(50),
    'state.db.pre-clean-markers-backup-20260101_000000': 'x'.repeat(40),
    'state.db.auto-maintenance.lock': '',
    'spawn-trees/plain/20260101.json': '{}',
    'moa-traces/plain.jsonl': '{}\n',
    'cron/jobs.json': '[]',
    'cron/output/job1/2026-01-01_00-00-00.md': 'ran',
    'cron/usage_audit.jsonl': '{}\n',
    'cache/images/a.png': 'png',
    'cache/web/page.html': 'html',
    'state-snapshots/20260101-000000/manifest.json': '{}',
    'backups/pre-update-1.zip': 'zip',
    'logs/agent.log': 'line\n',
    'pending_messages/1.json': JSON.stringify({ reason: 'flush', data: { session_id: LIVE_IDS.pending, message: {} } }),
    'config.yaml': 'sessions:\n  auto_prune: true\n',
    'skills/mine/SKILL.md': 'skill',
    'never-heard-of/it.bin': '??',
  };
}
