// Text that looks like talk: a vocabulary with a long tail, the same for every run.

/** A small seeded generator, so that every run measures the same text. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const LETTERS = 'etaoinshrdlucmfwypvbgkqjxz';

function makeWord(index) {
  const random = seeded(index + 7);
  const length = 3 + Math.floor(random() * 8);
  let word = '';
  for (let at = 0; at < length; at += 1) word += LETTERS[Math.floor(LETTERS.length * random() ** 1.6)];
  return word;
}

export const VOCABULARY = Array.from({ length: 30_000 }, (_, index) => makeWord(index));

/** Early words are common, late ones rare. */
export function sentence(random, length = 10 + Math.floor(random() * 40)) {
  const words = [];
  for (let at = 0; at < length; at += 1) words.push(VOCABULARY[Math.floor(VOCABULARY.length * random() ** 3)]);
  if (random() < 0.02) words.push('東京の天気');
  return words.join(' ');
}
