export function contentFor(token: string, length: number): string;
export function tokenOf(content: unknown): string | undefined;
export function seededRandom(seed: number): () => number;
