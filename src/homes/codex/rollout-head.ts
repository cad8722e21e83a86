import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { objectOf, textOf } from '../../core/sessions/message-parts.ts';
import { readSlice } from '../../platform/transcripts/read-slice.ts';
import { readZstdBeginning } from '../../platform/transcripts/read-zstd-lines.ts';

/** What the first line of a rollout says of its relations. */
export interface RolloutHead {
  /** The thread that it is of. */
  readonly thread: string | undefined;
  /** The thread that spawned this one, or that it was forked from. */
  readonly parentId: string | undefined;
  /** How what came before is told. */
  readonly historyMode: string | undefined;
  /** The rollout in which its beginning is told. Without that one it has none. */
  readonly base: string | undefined;
}

/**
 * Reads the first line of a rollout; undefined where it is none that Codex begins a file with. Fails where the file cannot be read so
 * far, and so nothing of what it needs is known.
 */
export function readRolloutHead(path: string): RolloutHead | undefined {
  for (const bytes of LINE_BYTES) {
    const text = path.endsWith('.zst') ? readZstdBeginning(path, bytes).toString() : readSlice(path, { bytes }).text;
    const end = text.indexOf('\n');
    if (end !== -1) return headOf(text.slice(0, end));
    // All of it, and so a line that was cut off or is still being written.
    if (Buffer.byteLength(text) < bytes) return headOf(text);
  }
  throw new Error('its first line is too long');
}

/** The instructions of the model stand in the first line, before what matters here: mostly some 20 KB, at times much more. */
const LINE_BYTES = [32 * 1024, 256 * 1024, 8 * 1024 * 1024];

function headOf(line: string): RolloutHead | undefined {
  const first = parse(line.replace(/^\uFEFF/, ''));
  if (first?.['type'] === 'session_meta') return metaHead(objectOf(first['payload']));
  // The first versions had no types around what was said.
  const isOld = first !== undefined && !('type' in first) && typeof first['id'] === 'string';
  return isOld ? metaHead(first) : undefined;
}

function metaHead(meta: JsonObject | undefined): RolloutHead | undefined {
  if (meta === undefined) return undefined;
  const base = textOf(objectOf(meta['history_base'])?.['thread_id']);
  if (base === undefined && (meta['history_base'] ?? null) !== null)
    throw new Error('it names what it needs in a way that is not known here');
  const spawn = objectOf(objectOf(objectOf(meta['source'])?.['subagent'])?.['thread_spawn']);
  const [parent, spawnedBy] = [textOf(meta['parent_thread_id']), textOf(spawn?.['parent_thread_id'])];
  return {
    thread: textOf(meta['id']) ?? textOf(meta['session_id']),
    parentId: parent ?? spawnedBy ?? textOf(meta['forked_from_id']),
    historyMode: textOf(meta['history_mode']),
    base,
  };
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
