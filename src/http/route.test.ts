import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonRoute } from './route.ts';

const facts = { method: 'GET', path: '/api/one', scope: 'read', summary: 'One.' } as const;
const answer = z.object({ id: z.string(), at: z.string().exactOptional(), inner: z.array(z.object({ n: z.int() })) });
const inner = [{ n: 1 }] as const;

// Each line that must not compile is marked so: the compiler complains about a mark that is not needed.
describe('jsonRoute', () => {
  it('takes a handler whose document is what the answer describes', () => {
    const route = jsonRoute({ ...facts, answer, handle: () => ({ id: 'a', inner }) });
    expect(route.path).toBe('/api/one');
    jsonRoute({ ...facts, answer, handle: async () => ({ id: 'a', at: 'now', inner }), location: ({ id }) => id });
  });

  it('lets no document pass the compiler that lacks a name, or has another type', () => {
    // @ts-expect-error: `inner` is missing.
    jsonRoute({ ...facts, answer, handle: () => ({ id: 'a' }) });
    // @ts-expect-error: `id` is a string.
    jsonRoute({ ...facts, answer, handle: async () => ({ id: 1, inner }) });
    // @ts-expect-error: what may be absent is left out, not undefined.
    jsonRoute({ ...facts, answer, handle: () => ({ id: 'a', at: undefined, inner }) });
  });

  it('lets no document pass the compiler that has a name which the answer does not describe, at any depth', () => {
    // @ts-expect-error: `more` is not in the answer.
    jsonRoute({ ...facts, answer, handle: () => ({ id: 'a', inner, more: 1 }) });
    // @ts-expect-error: nor is it below `inner`.
    jsonRoute({
      ...facts,
      answer,
      handle: async () => ({ id: 'a', inner: inner.map((one) => ({ ...one, more: 1 })) }),
    });
  });

  it('lets a handler tell only the steps that are described', () => {
    const tells = z.object({ done: z.int() });
    const handle = () => ({ id: 'a', inner });
    jsonRoute({ ...facts, answer, tells, handle: ({ tell }) => (void tell({ done: 1 }), handle()) });
    // @ts-expect-error: a step has `done`.
    jsonRoute({ ...facts, answer, tells, handle: ({ tell }) => (void tell({}), handle()) });
  });

  it('lets anything pass where the answer is any JSON', () => {
    const any = z.object({ value: z.json() });
    jsonRoute({ ...facts, answer: any, handle: () => ({ value: { a: [1, { b: 2 }] } }) });
  });
});
