import { resolve } from 'node:path';
import type { AppCheckpoints, CheckpointDiffOptions } from '../../app/app.ts';
import type { Step } from '../../client/api.ts';
import type { Client } from '../../client/client.ts';
import type { FileDiff, RestoredFile } from '../../core/retention/checkpoint.ts';
import { readCheckpoint, readCheckpointStatus, readFile, readRun } from './read-documents.ts';

/** The checkpoints of a home behind a daemon. Folders are on the machine of the daemon. */
export function remoteCheckpoints(client: Client): AppCheckpoints {
  const { call } = client;
  const setPin = async (id: string, pinned: boolean) => readCheckpoint(await client.checkpoints.pin(id, pinned));
  return {
    async take({ workdir, reason, sessionId }, { signal, onProgress } = {}) {
      const body = { workdir: resolve(workdir), reason, sessionId };
      const onStep = ({ done, total = done }: Step<'POST /api/checkpoints'>) => onProgress?.(done, total);
      const { status, leftOut, ...checkpoint } = await call('POST /api/checkpoints', { body, signal, onStep });
      return { status, leftOut, checkpoint: readCheckpoint(checkpoint) };
    },
    list: async (query) => {
      const workdir = query?.workdir;
      return (await client.checkpoints.list(workdir && resolve(workdir))).map(readCheckpoint);
    },
    async show(id) {
      const { previousId, changes, ...checkpoint } = await client.checkpoints.get(id);
      const previous = previousId === undefined ? {} : { previous: { id: previousId } };
      return { checkpoint: readCheckpoint(checkpoint), changes, ...previous };
    },
    async diff(id, options = {}) {
      const { signal } = options;
      const { from, to, workdir, files } = await call('GET /api/checkpoints/{id}/diff', {
        id,
        signal,
        query: sides(options),
      });
      return {
        from: { id: from, workdir },
        ...(to !== undefined && { to: { id: to } }),
        files: files.map(readFile) as FileDiff[],
      };
    },
    diffText: (id, options) => client.checkpoints.diffText(id, sides(options), options?.signal),
    ...remoteRestores(client),
    pin: (id) => setPin(id, true),
    unpin: (id) => setPin(id, false),
    status: async () => readCheckpointStatus(await call('GET /api/checkpoints/status', {})),
    verify: async () => {
      const { checkpoints, problems } = await call('GET /api/checkpoints/verify', {});
      return { checkpoints, problems };
    },
  };
}

function remoteRestores({ call }: Client): Pick<AppCheckpoints, 'previewRestore' | 'restore'> {
  return {
    async previewRestore(id, { paths, withSession, signal } = {}) {
      const body = { dryRun: true, paths: someOf(paths), withSession };
      const { checkpoint, files } = await call('POST /api/checkpoints/{id}/restore', { id, body, signal });
      return { checkpoint: readCheckpoint(checkpoint), files: files.map(readFile) as RestoredFile[] };
    },
    async restore(id, { paths, withSession, signal, onFile } = {}) {
      const body = { paths: someOf(paths), withSession };
      const onStep = (file: Parameters<typeof readFile>[0]) => onFile?.(readFile(file) as RestoredFile);
      const document = await call('POST /api/checkpoints/{id}/restore', { id, body, signal, onStep });
      const { checkpoint, safety = checkpoint, run, done = 0, skipped = 0, sessionDetail } = document;
      return {
        checkpoint: readCheckpoint(checkpoint),
        safety: readCheckpoint(safety),
        ...(run !== undefined && { run: readRun(run) }),
        done,
        skipped,
        ...(sessionDetail !== undefined && { sessionDetail }),
      };
    },
  };
}

function sides({ to, paths }: CheckpointDiffOptions = {}) {
  return { to, path: someOf(paths) };
}

/** None means all, and is not said. */
function someOf(paths: readonly string[] | undefined): readonly string[] | undefined {
  return paths?.length === 0 ? undefined : paths;
}
