// What the crash writer writes, so that the checker can tell a whole message from a damaged one.

/** A content that begins with its token and its length, and whose rest follows from both. */
export function contentFor(token, length) {
  return `${token} ${length} ${fillerFor(token, length)}`;
}

/** The token of a content, or undefined when it is not exactly what `contentFor` made. */
export function tokenOf(content) {
  const [token = '', length = ''] = String(content).split(' ', 2);
  return content === contentFor(token, Number(length)) ? token : undefined;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function fillerFor(token, length) {
  const unit = `${token} 言葉 words `;
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}
