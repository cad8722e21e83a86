/** For waits that a signal may end early: what fails because it was aborted is no error, and everything else still is. */
export function ignoreAbort(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
