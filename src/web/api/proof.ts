// What tells requests of this page from those of others. It is no token: without the cookie, which no script can read, it opens nothing.

const NAME = 'coppice-proof';

export function readProof(): string {
  return localStorage.getItem(NAME) ?? '';
}

export function keepProof(proof: string): void {
  localStorage.setItem(NAME, proof);
}

export function dropProof(): void {
  localStorage.removeItem(NAME);
}
