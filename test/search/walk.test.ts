import fc from 'fast-check';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type SearchDesk, searchDesk, sessionId } from '../support/search-desk.ts';

const WORDS = ['alder', 'birch', 'cedar', 'elm', 'fir'] as const;
const said = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const number = fc.integer({ min: 1, max: 4 });

type Step =
  | { readonly kind: 'write'; readonly number: number; readonly texts: readonly string[] }
  | { readonly kind: 'append'; readonly number: number; readonly text: string }
  | { readonly kind: 'remove' | 'delete' | 'undo'; readonly number: number }
  | { readonly kind: 'drop' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), number, texts: fc.array(said, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('append' as const), number, text: said }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'delete' as const, 'undo' as const), number }),
  fc.record({ kind: fc.constant('drop' as const) }),
);

describe('what a search of homes of other agents finds', () => {
  it('is what stands in the transcripts that are there, whatever was done to them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const desk = searchDesk();
        const model = createModel(desk);
        for (const each of steps) {
          await model.take(each);
          for (const word of WORDS) expect((await desk.find(word)).toSorted((a, b) => a - b)).toEqual(model.with(word));
        }
      }),
      { numRuns: 6, seed: 20_261_115 },
    );
  });
});

/** The same with nothing but a list of what was said. */
function createModel(desk: SearchDesk) {
  const there = new Map<number, readonly string[]>();
  const trash = new Map<number, { readonly run: string; readonly texts: readonly string[] }>();
  return {
    with: (word: string) =>
      [...there]
        .flatMap(([at, texts]) => (texts.some((text) => text.includes(word)) ? [at] : []))
        .toSorted((a, b) => a - b),
    async take(each: Step): Promise<void> {
      if (each.kind === 'drop') {
        await using home = await desk.open();
        return home.sessions.dropIndex();
      }
      const texts = there.get(each.number);
      if (each.kind === 'write') {
        if (trash.has(each.number)) return;
        desk.write(each.number, each.texts);
        there.set(each.number, each.texts);
      } else if (each.kind === 'append' && texts !== undefined) {
        desk.append(each.number, each.text);
        there.set(each.number, [...texts, each.text]);
      } else if (each.kind === 'remove' && texts !== undefined) {
        desk.remove(each.number);
        there.delete(each.number);
      } else if (each.kind === 'delete' && texts !== undefined) {
        await using home = await desk.open();
        const { run } = await home.apply(await home.plan({ kind: 'delete', ids: [sessionId(each.number)] }));
        trash.set(each.number, { run: run.id, texts });
        there.delete(each.number);
      } else if (each.kind === 'undo') {
        const gone = trash.get(each.number);
        if (gone === undefined || existsSync(desk.pathOf(each.number))) return;
        await using home = await desk.open();
        await home.undo(gone.run);
        trash.delete(each.number);
        there.set(each.number, gone.texts);
      }
    },
  };
}
