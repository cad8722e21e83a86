import type { ObjectStore } from '../core/objects/object-store.ts';
import type { ArchiveObjects } from '../keeping/archive/shelf/object-place.ts';
import type { Config } from './config/config-schema.ts';

const FILE = 'file:';
const S3 = 's3://';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the archived sessions of a home go by its settings; undefined where they stay in the home. Nothing is opened before it is needed. */
export function archiveObjects(archive: Config['archive'], env: Env): ArchiveObjects | undefined {
  if (archive.url === 'none') return undefined;
  let opened: Promise<ObjectStore> | undefined;
  return {
    cacheBytes: archive.cache_mb * 1024 * 1024,
    open: () => (opened ??= openObjects(archive, env)),
  };
}

async function openObjects(archive: Config['archive'], env: Env): Promise<ObjectStore> {
  const { url } = archive;
  if (url.startsWith(FILE)) {
    const { createFileObjects } = await import('../objects/file/file-objects.ts');
    return createFileObjects(url.slice(FILE.length));
  }
  const { createS3Objects } = await import('../objects/s3/s3-objects.ts');
  const { s3Credentials } = await import('../objects/s3/s3-credentials.ts');
  const { endpoint, region, credentials } = archive;
  const [bucket = '', ...prefix] = url.slice(S3.length).split('/');
  return createS3Objects({
    endpoint: new URL(endpoint === 'none' ? `https://s3.${region}.amazonaws.com` : endpoint),
    region,
    bucket,
    prefix: prefix.join('/'),
    credentials: s3Credentials(credentials, env),
  });
}
