/** Calls back when this process exits by itself, however suddenly, but not when it is killed. Returns what takes it back. */
export function atExit(act: () => void): () => void {
  // Many at once are no leak, and nobody is to be warned of one.
  process.setMaxListeners(process.getMaxListeners() + 1);
  process.once('exit', act);
  return () => {
    process.off('exit', act);
    process.setMaxListeners(process.getMaxListeners() - 1);
  };
}
