import { describe, expect, it } from 'vitest';
import { closestWord } from './closest-word.ts';

describe('closestWord', () => {
  it.each([
    ['sesions', 'sessions'],
    ['checkpoint', 'checkpoints'],
    ['retentionDays', 'retention_days'],
    ['Retention-Days', 'retention_days'],
    ['DISK', 'disk'],
  ])('takes %s for %s', (word, meant) => {
    expect(closestWord(word, ['trash', 'sessions', 'checkpoints', 'retention_days', 'disk'])).toBe(meant);
  });

  it('prefers the closest of several similar words', () => {
    expect(closestWord('max_messages', ['max_message', 'max_messages', 'min_messages'])).toBe('max_messages');
  });

  it('stays silent when nothing is similar', () => {
    expect(closestWord('colour', ['sessions', 'disk'])).toBeUndefined();
    expect(closestWord('', ['sessions'])).toBeUndefined();
  });
});
