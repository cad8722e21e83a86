import { DAY_MS, type EpochMs, HOUR_MS, isoTime } from '../../src/core/time.ts';
import { FILE_NOW, jsonLines, putFile } from './file-home-scene.ts';
import { rawZstd } from './raw-zstd.ts';

const WORKDIR = '/home/ada/work/greeter';

export interface RolloutSpec {
  readonly id: string;
  /** Its own id, where the thread was taken back. */
  readonly rollout?: string;
  readonly prompts?: readonly string[];
  /** The id of the rollout in which its beginning is told. */
  readonly base?: string;
  readonly spawnedBy?: string;
  readonly daysAgo?: number;
  readonly archived?: boolean;
  readonly historyMode?: string;
  /** What its first line says, where that is another one. */
  readonly saysId?: string;
  /** In the folder of another day than the one in its name. */
  readonly compressed?: boolean;
}

export function codexId(end: string, start = '01a1de2a'): string {
  return `${start}-1a43-7330-afe4-${end.padStart(12, '0')}`;
}

function begunAt({ daysAgo = 40 }: RolloutSpec): EpochMs {
  return FILE_NOW - daysAgo * DAY_MS;
}

/** Where Codex keeps it. */
export function rolloutPath(spec: RolloutSpec): string {
  const { id, rollout, archived = false, compressed = false } = spec;
  const at = isoTime(begunAt(spec)).slice(0, 19);
  const folder = archived ? 'archived_sessions' : `sessions/${at.slice(0, 10).replaceAll('-', '/')}`;
  const own = rollout === undefined ? '' : `_${rollout}`;
  return `${folder}/rollout-${at.replaceAll(':', '-')}-${id}${own}.jsonl${compressed ? '.zst' : ''}`;
}

/** A rollout as Codex 0.166 writes one. */
export function rolloutLines(spec: RolloutSpec): readonly object[] {
  const { id, saysId = id, base, spawnedBy, historyMode = 'paginated', prompts = ['What does it do?'] } = spec;
  const at = begunAt(spec);
  const line = (type: string, payload: object, after = 0) => ({ timestamp: isoTime(at + after), type, payload });
  const meta = {
    session_id: spawnedBy ?? saysId,
    id: saysId,
    ...(base !== undefined && spec.rollout === undefined && { forked_from_id: base }),
    timestamp: isoTime(at),
    cwd: WORKDIR,
    cli_version: '0.166.0',
    source:
      spawnedBy === undefined ? 'exec' : { subagent: { thread_spawn: { parent_thread_id: spawnedBy, depth: 1 } } },
    // In the first line stands everything that the model is told, before what matters to others.
    base_instructions: { text: 'Be brief. '.repeat(4000) },
    history_mode: historyMode,
    ...(base !== undefined && { history_base: { thread_id: base, end_ordinal_exclusive: 3, end_byte_offset: 900 } }),
  };
  return [
    line('session_meta', meta),
    line('turn_context', { model: 'stub-model', cwd: WORKDIR }),
    ...prompts.flatMap((text, turn) => turnOf(spec, text, at + turn * 1000)),
  ];
}

export function turnOf({ id, rollout = id }: RolloutSpec, text: string, at: EpochMs): readonly object[] {
  const line = (type: string, payload: object) => ({ timestamp: isoTime(at), type, payload });
  const usage = { input_tokens: 1200, cached_input_tokens: 200, output_tokens: 40, reasoning_output_tokens: 0 };
  return [
    line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    line('response_item', {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `To ${text}` }],
    }),
    line('token_usage_record', { thread_id: id, response_id: `${rollout}-${at}`, usage }),
  ];
}

export function putRollout(home: string, spec: RolloutSpec, at: EpochMs = begunAt(spec) + HOUR_MS): void {
  const text = jsonLines(rolloutLines(spec));
  putFile(home, rolloutPath(spec), spec.compressed === true ? rawZstd(text) : text, at);
}
