const LF = 0x0a;

/** Cuts text into rows of at most so many bytes: after a line where there is one, never inside a character. */
export function* cutRows(bytes: Buffer, maxBytes: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const rest = bytes.subarray(start);
    const length = rest.length <= maxBytes ? rest.length : rowLength(rest.subarray(0, maxBytes));
    yield rest.subarray(0, length);
    start += length;
  }
}

function rowLength(longest: Buffer): number {
  const lines = longest.lastIndexOf(LF) + 1;
  return lines > 0 ? lines : completeLength(longest) || longest.length;
}

/** How much of UTF-8 text stands before a character whose end is missing. Bytes that are no UTF-8 count as complete. */
export function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return characterLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** How many bytes at the beginning belong to a character whose beginning is missing. */
export function brokenStart(bytes: Buffer): number {
  let length = 0;
  while (length < 3 && isContinuation(bytes[length] ?? 0)) length += 1;
  return length;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function characterLength(lead: number): number {
  if (lead >= 0xf8) return 1;
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
