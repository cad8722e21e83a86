import { expect, it } from 'vitest';
import { hideUrlSecrets } from './hide-url-secrets.ts';

it('hides who is named before the host of an address, wherever it stands, and nothing else', () => {
  expect(hideUrlSecrets('see https://me:secret@host/x and http://key@h:80/?a=b@c')).toBe(
    'see https://***@host/x and http://***@h:80/?a=b@c',
  );
  expect(hideUrlSecrets('https://host/me:x@y mail me@host, a:b@c')).toBe('https://host/me:x@y mail me@host, a:b@c');
});
