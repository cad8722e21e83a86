/** The usual constants of the formula, BM25; the embedded store has the same. */
const K1 = 1.2;
const B = 0.75;
/** A phrase that stands in most messages says little, and never counts against one. */
const LEAST_WEIGHT = 1e-6;

export interface Corpus {
  readonly messages: number;
  readonly words: number;
}

/** How much a phrase says that stands in so many of all messages. */
export function weightOf(found: number, { messages }: Corpus): number {
  const weight = Math.log((messages - found + 0.5) / (found + 0.5));
  return weight <= 0 ? LEAST_WEIGHT : weight;
}

export interface Occurrence {
  /** How often each phrase stands in it. */
  readonly frequencies: readonly number[];
  /** How many words it has. */
  readonly words: number;
}

/** How well a message matches; more is better. */
export function relevanceOf({ frequencies, words }: Occurrence, weights: readonly number[], corpus: Corpus): number {
  const average = corpus.words / Math.max(1, corpus.messages);
  const longer = K1 * (1 - B + (B * words) / Math.max(average, Number.MIN_VALUE));
  return frequencies.reduce(
    (sum, frequency, index) => sum + ((weights[index] ?? 0) * (frequency * (K1 + 1))) / (frequency + longer),
    0,
  );
}
