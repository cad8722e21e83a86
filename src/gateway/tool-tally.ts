import { createHash } from 'node:crypto';
import type { ToolCount } from '../core/gateway/gateway.ts';

/** How often which tools did something. Bounded, whatever names a model makes up: those that come first are named. */
export type ToolTally = readonly ToolCount[];

const MOST_TOOLS = 5;
const LONGEST_NAME = 100;

export function addTool(tally: ToolTally, name: string, count = 1): ToolTally {
  if (tally.some((tool) => tool.name === name)) {
    return tally.map((tool) => (tool.name === name ? { name, count: tool.count + count } : tool));
  }
  return tally.length < MOST_TOOLS ? [...tally, { name, count }] : tally;
}

export function addTallies(one: ToolTally, other: ToolTally): ToolTally {
  return other.reduce((sum, { name, count }) => addTool(sum, name, count), one);
}

/** A name by which a tool is known and kept: what is too long to be one is cut, and still told from others. */
export function toolName(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  return `${name.slice(0, 80)}…${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}
