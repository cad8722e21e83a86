import { describe, expect, it } from 'vitest';
import { type ChildFacts, childKind, readMarkers } from './hermes-lineage.ts';

const child = (facts: Partial<ChildFacts>): ChildFacts => ({
  parentId: 'p',
  source: 'cli',
  startedAt: 100,
  markers: {},
  ...facts,
});
const COMPRESSED = { endReason: 'compression', endedAt: 50 };

describe('how a Hermes session came out of its parent', () => {
  it('is told by the marker that names that parent', () => {
    expect(childKind(child({ markers: { branchedFrom: 'p' }, parent: COMPRESSED }))).toBe('branch');
    expect(childKind(child({ markers: { delegateFrom: 'p' }, parent: COMPRESSED }))).toBe('subagent');
    expect(childKind(child({ markers: { resetFrom: 'p' }, parent: COMPRESSED }))).toBe('reset');
  });

  it('is not told by a marker that names another session', () => {
    const markers = { branchedFrom: 'x', delegateFrom: 'x', resetFrom: 'x' };
    expect(childKind(child({ markers, parent: COMPRESSED }))).toBe('continuation');
    expect(childKind(child({ markers }))).toBeUndefined();
  });

  it('is a continuation after compression, except for the runs of tools', () => {
    expect(childKind(child({ parent: COMPRESSED }))).toBe('continuation');
    expect(childKind(child({ parent: COMPRESSED, source: 'tool' }))).toBeUndefined();
  });

  it('is a branch of old when it began after its parent ended by branching', () => {
    expect(childKind(child({ parent: { endReason: 'branched', endedAt: 100 } }))).toBe('branch');
    expect(childKind(child({ parent: { endReason: 'branched', endedAt: 101 } }))).toBeUndefined();
  });

  it('reads markers, and says when it cannot', () => {
    expect(readMarkers('{"_branched_from":"a","_delegate_from":"b","_reset_from":"c","other":1}')).toEqual({
      branchedFrom: 'a',
      delegateFrom: 'b',
      resetFrom: 'c',
    });
    for (const nothing of [undefined, '', 'null', '{}', '{"_branched_from":7}'])
      expect(readMarkers(nothing)).toEqual({});
    for (const damaged of ['{', '[]', '"text"', '1']) expect(readMarkers(damaged)).toBeUndefined();
  });
});
