/** One process at a time changes what a home keeps. The kernel lets go of the lock when its holder dies. */
export interface HomeLock {
  /** Waits up to `waitMs`, then fails with a sentence that names the holder. */
  acquire(purpose: string, waitMs: number): Promise<Disposable>;
}
