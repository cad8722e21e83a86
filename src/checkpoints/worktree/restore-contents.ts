import { Failure } from '../../core/failure.ts';
import { startGit } from '../../platform/git/run-git.ts';

/** Reads saved content through one git process that stays open: starting one for each file would cost more than the files. */
export interface Contents extends Disposable {
  /** The bytes of one blob, in pieces. Read it to its end before asking for the next. */
  read(oid: string): AsyncGenerator<Buffer>;
}

export function openContents(gitDir: string): Contents {
  // It lives as long as the work does, so there is no time limit.
  const child = startGit({ gitDir }, ['cat-file', '--batch'], { timeoutMs: 0 });
  child.stdin?.on('error', () => undefined);
  child.on('error', () => undefined);
  child.stderr?.resume();
  const input = openInput(child.stdout ?? undefined);
  return {
    async *read(oid) {
      child.stdin?.write(`${oid}\n`);
      const header = (await input.line()).toString();
      const [, kind, size] = header.split(' ');
      if (kind !== 'blob') throw damaged(oid);
      let left = Number(size);
      try {
        while (left > 0) {
          const piece = await input.atMost(left);
          left -= piece.length;
          yield piece;
        }
      } finally {
        // Whoever stops half-way must not leave the rest, or the line break after it, to the next reader.
        while (left >= 0) left -= (await input.atMost(left + 1)).length;
      }
    },
    [Symbol.dispose]() {
      child.kill('SIGKILL');
    },
  };
}

interface Input {
  /** Up to the next line break, which is taken too. */
  line(): Promise<Buffer>;
  atMost(length: number): Promise<Buffer>;
}

function openInput(stream: AsyncIterable<Buffer> | undefined): Input {
  const pieces = stream?.[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  const more = async () => {
    const next = await pieces?.next();
    if (next === undefined || next.done === true) throw damaged();
    return next.value;
  };
  return {
    async line() {
      for (let end = rest.indexOf('\n'); ; end = rest.indexOf('\n')) {
        if (end === -1) {
          rest = Buffer.concat([rest, await more()]);
          continue;
        }
        const line = rest.subarray(0, end);
        rest = rest.subarray(end + 1);
        return line;
      }
    },
    async atMost(length) {
      if (rest.length === 0) rest = Buffer.from(await more());
      const piece = rest.subarray(0, length);
      rest = rest.subarray(length);
      return piece;
    },
  };
}

function damaged(oid?: string): Failure {
  const what = oid === undefined ? 'Saved content' : `The saved content ${oid.slice(0, 12)}`;
  return new Failure('integrity', `${what} cannot be read from the checkpoint store.`, {
    hint: 'Nothing was overwritten with it. Look at the store with: coppice checkpoints verify',
  });
}
