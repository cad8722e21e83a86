import { describe, expect, it } from 'vitest';
import { captureIo } from '../../../test/capture-io.ts';
import { confirm } from './confirm.ts';

const asked = { question: 'Remove 1,200 items?', yes: undefined, json: false, look: 'add --dry-run' };

describe('on a terminal', () => {
  it.each(['y', 'Y', 'yes', ' yes '])('takes %j for a yes', async (answer) => {
    const { io, err } = captureIo({ columns: 80, answers: [answer] });
    await confirm(io, asked);
    expect(err()).toBe('Remove 1,200 items? [y/N] ');
  });

  it.each(['', 'n', 'no', 'yep', '1200'])('takes %j for a no', async (answer) => {
    const { io } = captureIo({ columns: 80, answers: [answer] });
    await expect(confirm(io, asked)).rejects.toMatchObject({ code: 'refused', message: 'Nothing was changed.' });
  });

  it('wants the number typed for what cannot be undone, and nothing else', async () => {
    const typed = { ...asked, typed: 1200 };
    for (const answer of ['1200', '1,200']) await confirm(captureIo({ columns: 80, answers: [answer] }).io, typed);
    for (const answer of ['y', 'yes', '', '120', '12000']) {
      const { io, err } = captureIo({ columns: 80, answers: [answer] });
      await expect(confirm(io, typed)).rejects.toMatchObject({ code: 'refused' });
      expect(err()).toBe('Remove 1,200 items? Type 1200 to confirm: ');
    }
  });

  it('says to whom a yes seemed enough that the number is wanted', async () => {
    for (const [answer, hint] of [
      ['yes', 'A yes is too quickly said here. To go ahead, type 1200 when you are asked again.'],
      ['n', undefined],
    ] as const) {
      const { io } = captureIo({ columns: 80, answers: [answer] });
      await expect(confirm(io, { ...asked, typed: 1200 })).rejects.toMatchObject({ hint });
    }
  });

  it('asks nothing after --yes, and never a program', async () => {
    const { io, err } = captureIo({ columns: 80, answers: ['y'] });
    await confirm(io, { ...asked, yes: true });
    await expect(confirm(io, { ...asked, json: true })).rejects.toMatchObject({ code: 'refused' });
    expect(err()).toBe('');
  });
});

it('asks nothing without a terminal, and names the way to look and the way to go ahead', async () => {
  const { io, err } = captureIo({ answers: ['y'] });
  await expect(confirm(io, asked)).rejects.toMatchObject({
    code: 'refused',
    hint: expect.stringMatching(/--yes.*--dry-run/) as string,
  });
  expect(err()).toBe('');
});
