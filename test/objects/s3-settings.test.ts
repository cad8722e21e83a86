import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/app/config/parse-config.ts';
import { s3Credentials } from '../../src/objects/s3/s3-credentials.ts';
import { openArchiveDesk } from '../support/archive-desk.ts';
import { user } from '../support/collect.ts';
import { coppice } from '../e2e/run-coppice.ts';
import { S3_KEYS, S3Server } from '../support/s3-server.ts';
import { tempDir } from '../support/temp-dir.ts';

const FILE = `[default]\naws_access_key_id = ${S3_KEYS.accessKeyId}\naws_secret_access_key=${S3_KEYS.secretAccessKey}\n\n[other]\naws_access_key_id = no\n`;

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

function keysFile(text = FILE, mode = 0o600): string {
  const path = join(folder, 'keys');
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

describe('the keys of a bucket', () => {
  it('are in the environment, and come with their token', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };
    const keys = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' };
    expect(await s3Credentials('environment', env)()).toEqual(keys);
    await expect(s3Credentials('environment', { AWS_ACCESS_KEY_ID: 'id' })()).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('AWS_SECRET_ACCESS_KEY') as string,
    });
  });

  it('are in a file that nobody else may read, and are read anew each time', async () => {
    const path = keysFile();
    const keys = s3Credentials(path, {});
    expect(await keys()).toEqual(S3_KEYS);
    writeFileSync(path, FILE.replace(S3_KEYS.accessKeyId, 'NEWKEY'));
    expect(await keys()).toMatchObject({ accessKeyId: 'NEWKEY' });
    chmodSync(path, 0o640);
    await expect(keys()).rejects.toMatchObject({ message: expect.stringContaining('others can read') as string });
    for (const text of ['', 'aws_access_key_id = only', S3_KEYS.secretAccessKey]) {
      const failed = s3Credentials(keysFile(text), {})();
      await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('does not hold both') as string });
      await expect(failed).rejects.not.toThrow(S3_KEYS.secretAccessKey);
    }
    await expect(s3Credentials(join(folder, 'none'), {})()).rejects.toMatchObject({ code: 'failed' });
  });

  it('are found as the tools of AWS find them, where that is asked for', async () => {
    const env = { ...process.env };
    Object.assign(process.env, { AWS_SHARED_CREDENTIALS_FILE: keysFile(), AWS_EC2_METADATA_DISABLED: 'true' });
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE'])
      Reflect.deleteProperty(process.env, name);
    try {
      expect(await s3Credentials('chain', {})()).toMatchObject(S3_KEYS);
    } finally {
      process.env = env;
    }
  });
});

describe('the settings of a bucket', () => {
  const mistakes = (text: string) => {
    const bytes = Buffer.from(`archive: { ${text} }`);
    const result = parseConfig({ file: 'config.yaml', bytes, settings: [] });
    return 'issues' in result ? result.issues.map(({ message }) => message) : [];
  };

  it.each([
    ['url: s3://bucket/prefix/more', []],
    ['url: file:/mnt/disk', []],
    ['endpoint: "http://127.0.0.1:9000"', []],
    ['endpoint: "http://nas.local:9000", allow_http: true', []],
    ['endpoint: "http://nas.local:9000"', [/Plain HTTP to another machine/]],
    ['url: s3://', [/not possible here/]],
    ['url: s3://bucket/../other', [/not possible here/]],
    ['url: file:relative', [/not possible here/]],
    ['url: https://bucket.example.org', [/Write s3:/]],
    ['endpoint: "https://key:hunter2@nas.local"', [/without keys in it/]],
    ['credentials: AKIAIOSFODNN7EXAMPLE', [/never a key/]],
    ['region: "a b"', [/not the name of a region/]],
  ])('%s', (text, expected) => {
    const found = mistakes(text);
    expect(found).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as string));
    expect(found.join()).not.toMatch(/hunter2|AKIA/);
  });
});

it('archives into a bucket by the settings alone, and never says a key', async () => {
  const server = await S3Server.forTest();
  const desk = await openArchiveDesk();
  const settings = {
    'archive.url': 's3://bucket/agents/one',
    'archive.endpoint': server.endpoint,
    'archive.region': 'eu-test-1',
    'archive.credentials': keysFile(),
  };
  await desk.reopen(...Object.entries(settings).map(([key, value]) => ({ key, value })));
  await desk.add('a', [user('one'), user('two')]);
  expect((await desk.archive()).details).toEqual({ a: 'done' });
  const keys = [...server.objects.keys()];
  expect(keys).toHaveLength(3);
  for (const key of keys) expect(key).toMatch(/^agents\/one\/[0-9a-f]{32}\/(bundles|manifests|home\.json)/);
  await desk.noProblems();
  await desk.home.close();
  const set = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const said: string[] = [];
  for (const command of [['config', 'show', '--effective'], ['doctor'], ['sessions', 'restore', 'a']]) {
    const { stdout, stderr } = await coppice(desk.layout.root, [...command, ...set]);
    said.push(stdout, stderr);
  }
  expect(said.join('\n')).toContain('s3://bucket/agents/one');
  expect(said.join('\n')).not.toContain(S3_KEYS.secretAccessKey);
  expect(said.join('\n')).not.toContain(S3_KEYS.accessKeyId);
  expect([...server.objects.keys()]).toHaveLength(1);
  expect(readFileSync(settings['archive.credentials'], 'utf8')).toBe(FILE);
});
