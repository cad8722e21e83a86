/**
 * A lock that many may share or one may have alone. Whoever waits to have it alone goes before those who come later, and the
 * kernel lets go of it when its holder dies.
 */
export interface SharedLock {
  share(waitMs: number): Promise<Disposable>;
  alone(waitMs: number): Promise<Disposable>;
}
