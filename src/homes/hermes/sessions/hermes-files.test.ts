import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hermesSafeName } from '../../../../test/support/hermes-home.ts';
import { NASTY_IDS } from '../../../../test/support/hermes-standard-home.ts';
import { fileOwners, safeSessionName } from './hermes-files.ts';

const STAMP = '20260101_000000_000000';

describe('the files of Hermes sessions', () => {
  it('belong to the one session whose name they bear in full', () => {
    const owner = fileOwners(['a', 'a_b', `a_${STAMP}`]);
    expect(owner('session_a.json')).toEqual({ kind: 'snapshot', owner: 'a' });
    expect(owner('session_a_b.json')).toEqual({ kind: 'snapshot', owner: 'a_b' });
    expect(owner(`request_dump_a_${STAMP}.json`)).toEqual({ kind: 'dump', owner: 'a' });
    expect(owner(`request_dump_a_b_${STAMP}.json`)).toEqual({ kind: 'dump', owner: 'a_b' });
    expect(owner(`request_dump_a_${STAMP}_${STAMP}.json`)).toEqual({ kind: 'dump', owner: `a_${STAMP}` });
    expect(owner('a.jsonl')).toEqual({ kind: 'transcript', owner: 'a' });
    expect(owner('a.json')).toEqual({ kind: 'json', owner: 'a' });
  });

  it('are orphans when their session is gone and only Hermes gives such names', () => {
    const owner = fileOwners([]);
    expect(owner(`request_dump_whatever_${STAMP}.json`)).toEqual({ kind: 'dump' });
    expect(owner('session_20260101_000000_abcdef.json')).toEqual({ kind: 'snapshot' });
    expect(owner('session_cron_job1_20260101_000000.json')).toEqual({ kind: 'snapshot' });
    expect(owner(`session_${safeSessionName('a/b')}.json`)).toEqual({ kind: 'snapshot' });
    expect(owner('20260101_000000_abcdef.jsonl')).toEqual({ kind: 'transcript' });
  });

  it('are unknown when a person may have put them there', () => {
    const owner = fileOwners(['a']);
    const names = ['notes.json', 'session_notes.json', 'b.jsonl', 'request_dump_a.json', 'a', 'sub/session_a.json', ''];
    for (const name of names) expect(owner(name)).toEqual({ kind: 'unknown' });
  });

  it('never include the map of routes and what a person saved', () => {
    const owner = fileOwners(['sessions', '.sessions_x']);
    for (const name of ['sessions.json', '.sessions_ab.tmp', 'saved/hermes_conversation_1.json', 'saved/any/thing'])
      expect(owner(name)).toEqual({ kind: 'kept' });
  });

  it('belong to nobody when their name fits two sessions', () => {
    const twin = safeSessionName('a/b');
    const owner = fileOwners(['x', 'session_x', 'a/b', twin]);
    expect(owner('session_x.json')).toEqual({ kind: 'ambiguous' });
    expect(owner(`session_${twin}.json`)).toEqual({ kind: 'ambiguous' });
    expect(owner(`request_dump_${twin}_${STAMP}.json`)).toEqual({ kind: 'ambiguous' });
    expect(owner('session_session_x.json')).toEqual({ kind: 'snapshot', owner: 'session_x' });
  });

  it('are found for any id, and for no other id', () => {
    const id = fc.oneof(fc.constantFrom(...NASTY_IDS), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 130 }));
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 8 }), (ids) => {
        const owner = fileOwners(ids);
        for (const each of ids) {
          const found = [`session_${hermesSafeName(each)}.json`, `request_dump_${hermesSafeName(each)}_${STAMP}.json`];
          for (const file of found.map(owner))
            expect([each, undefined]).toContain('owner' in file ? file.owner : undefined);
          expect(['dump', 'ambiguous']).toContain(owner(found[1] ?? '').kind);
        }
      }),
    );
  });

  it('keeps safe names apart and harmless as names of files', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        fc.pre(one !== other && one !== safeSessionName(other) && other !== safeSessionName(one));
        expect(safeSessionName(one)).not.toBe(safeSessionName(other));
        expect(safeSessionName(one)).toMatch(/^[\p{L}\p{N}_-]*$/u);
      }),
    );
  });
});
