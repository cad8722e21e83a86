import type { Socket } from 'node:net';

/**
 * Connections over which nobody has shown a token yet. Only so many may stand open: the one that has been silent longest makes room
 * for the next, so that nobody who has a token is kept out by those who have none.
 */
export class Strangers {
  readonly #most: number;
  readonly #sockets = new Set<Socket>();

  constructor(most: number) {
    this.#most = most;
  }

  arrived(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const [oldest] = this.#sockets;
    if (this.#sockets.size > this.#most && oldest !== undefined) this.#dismiss(oldest);
  }

  /** Whoever is behind this connection has a token. */
  met(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  #dismiss(socket: Socket): void {
    this.#sockets.delete(socket);
    socket.destroy();
  }
}
