import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';

/** More than a pipe holds, so that every read finds it empty afterwards and nothing has to look a second time. */
const BUFFER_BYTES = 128 * 1024;

/** Takes the next bytes. They are only there until it returns or, if it returns a promise, until that settles. */
export type TakePiece = (piece: Buffer) => Promise<void> | undefined;

/**
 * Reads a pipe to its end, piece by piece, through one buffer: the writer waits while a piece is being taken. Closes the pipe
 * at the end, when taking fails, and when the signal is aborted, which counts as the end.
 */
export function readPieces(readFd: number, take: TakePiece, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    const options: SocketConstructorOpts & { onread: OnReadOpts } = {
      fd: readFd,
      readable: true,
      writable: false,
      onread: { buffer, callback: (length) => takeNext(buffer.subarray(0, length)) },
    };
    const socket = new Socket(options);
    const takeNext = (piece: Buffer): boolean => {
      try {
        const taken = take(piece);
        if (taken === undefined) return true;
        socket.pause();
        void taken.then(() => socket.resume(), fail);
      } catch (error) {
        fail(error);
      }
      return false;
    };
    const fail = (error: unknown): void => {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    };
    const close = (): void => {
      socket.destroy();
    };
    signal?.addEventListener('abort', close, { once: true });
    socket.once('error', reject);
    socket.once('close', () => {
      signal?.removeEventListener('abort', close);
      resolve();
    });
    if (signal?.aborted) close();
    else socket.resume();
  });
}
