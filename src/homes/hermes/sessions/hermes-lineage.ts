import { isJsonObject } from '../../../core/json.ts';
import type { ChildKind } from '../../../core/sessions/session.ts';

/** What the kind of a child rests on. */
export interface ChildFacts {
  readonly parentId: string;
  readonly source: string;
  readonly startedAt: number;
  readonly markers: Markers;
  readonly parent?: { readonly endReason?: string; readonly endedAt?: number };
}

/** The session that each marker in `model_config` names. */
export interface Markers {
  readonly branchedFrom?: string;
  readonly delegateFrom?: string;
  readonly resetFrom?: string;
}

/**
 * How a session came out of its parent. A marker counts only if it names that parent: sessions are re-parented, markers are not.
 * Without one, a child of a parent that ended by compression continues it. Undefined when nothing tells.
 */
export function childKind({ parentId, source, startedAt, markers, parent }: ChildFacts): ChildKind | undefined {
  if (markers.delegateFrom === parentId || source === 'subagent') return 'subagent';
  if (markers.branchedFrom === parentId) return 'branch';
  if (markers.resetFrom === parentId) return 'reset';
  if (parent?.endReason === 'branched' && startedAt >= (parent.endedAt ?? Number.POSITIVE_INFINITY)) return 'branch';
  return parent?.endReason === 'compression' && source !== 'tool' ? 'continuation' : undefined;
}

/** Reads the markers of a `model_config`. Undefined when it is not what Hermes writes, so that the lineage is not known. */
export function readMarkers(modelConfig: string | undefined): Markers | undefined {
  if (modelConfig === undefined || modelConfig === '') return {};
  let config: unknown;
  try {
    config = JSON.parse(modelConfig);
  } catch {
    return undefined;
  }
  if (config === null) return {};
  if (!isJsonObject(config)) return undefined;
  return {
    ...marker('branchedFrom', config['_branched_from']),
    ...marker('delegateFrom', config['_delegate_from']),
    ...marker('resetFrom', config['_reset_from']),
  };
}

function marker(name: keyof Markers, value: unknown): Markers {
  return typeof value === 'string' && value !== '' ? { [name]: value } : {};
}
