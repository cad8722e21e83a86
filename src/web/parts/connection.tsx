import { connection } from '../api/connection.ts';

/** Says when the daemon is gone, or is another one than the one that told what is shown. */
export function Connection() {
  if (connection.value === 'up') return null;
  if (connection.value === 'lost') {
    return (
      <div class="notice bad" role="alert">
        The daemon does not answer. What you see is from before. Start it again with: <code>coppice serve</code>
      </div>
    );
  }
  return (
    <div class="notice" role="status">
      The daemon was started again. What you see is from before.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load anew
      </button>
    </div>
  );
}
