import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRouter } from './create-router.ts';
import { ROUTES } from './route-table.ts';

const find = createRouter(ROUTES);

describe('createRouter', () => {
  it('finds every route by its own path', () => {
    for (const route of ROUTES) {
      expect(find(route.method, route.path.replace('{id}', 'some-id'))).toMatchObject({ kind: 'found', route });
    }
  });

  it('gives any id back exactly, slashes, dots and all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
        const found = find('GET', `/api/sessions/${encodeURIComponent(id)}/messages`);
        expect(found).toMatchObject({ kind: 'found', id });
      }),
    );
  });

  it('knows nothing beside, and takes no path apart that it cannot decode', () => {
    for (const path of [
      '',
      '/',
      '/api',
      '/api/sessions/',
      '/api/sessions/%zz',
      '/api/sessions/a/b/c',
      '/api/sessions/a/../b',
    ])
      expect([path, find('GET', path).kind]).toEqual([path, 'no-such-path']);
  });
});
