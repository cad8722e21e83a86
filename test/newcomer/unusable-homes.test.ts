import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { FAILURES } from '../../src/core/failure.ts';
import { BIN } from '../e2e/run-coppice.ts';
import { NOBODY, PERMISSIONS_BIND } from '../support/nobody.ts';
import { CAN_MOUNT, mountDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type Met, meetAll } from './meet-all.ts';

const PATIENT = process.env['COPPICE_TORTURE'] === '1';

meetAll('a home that cannot be used', [
  {
    met: 'a home that was named and is not there',
    line: 'sessions list --home missing',
    code: 'not-found',
    says: /^There is no Coppice home at .*missing\.$/,
    hint: /coppice config init --home .*missing$/,
  },
  {
    met: 'a home that is a file',
    line: 'status',
    code: 'refused',
    says: /file is not a folder\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => ({ home: writtenFile(folder) }),
  },
  {
    met: 'a home below a file',
    line: 'status',
    code: 'refused',
    says: /^Something on the way to .*file\/below is not a folder\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => ({ home: join(writtenFile(folder), 'below'), cwd: folder }),
  },
  {
    met: 'a home where nothing may be made',
    line: 'status',
    code: 'refused',
    says: /^You may not read or write .*closed\/home, or its disk is read-only\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => {
      mkdirSync(join(folder, 'closed'), { mode: 0o555 });
      return { home: join(folder, 'closed', 'home'), cwd: folder, ...NOBODY };
    },
    possible: PERMISSIONS_BIND,
  },
  {
    met: 'a home that is read-only',
    line: 'sessions rename alpha-one New',
    code: 'refused',
    says: /^You may not read or write .*state\.db, or its disk is read-only\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => {
      chmodSync(join(folder, 'home', 'state.db'), 0o444);
      chmodSync(join(folder, 'home'), 0o555);
      return NOBODY;
    },
    possible: PERMISSIONS_BIND,
  },
  {
    met: 'a configuration that may not be read',
    line: 'status',
    code: 'bad-config',
    says: /config\.yaml: The file cannot be read/,
    hint: /coppice config check$/,
    when: (folder) => {
      chmodSync(join(folder, 'home'), 0o755);
      writeFileSync(join(folder, 'home', 'config.yaml'), '', { mode: 0o000 });
      return NOBODY;
    },
    possible: PERMISSIONS_BIND,
  },
  {
    met: 'a project that may not be read',
    line: 'checkpoints take closed',
    code: 'refused',
    says: /^You may not enter .*closed\.$/,
    hint: /^Check who owns it, then try again\.$/,
    when: (folder) => {
      chmodSync(folder, 0o777);
      mkdirSync(join(folder, 'closed'), { mode: 0o700 });
      return { home: join(folder, 'own'), ...NOBODY };
    },
    possible: PERMISSIONS_BIND && 'uid' in NOBODY,
  },
  {
    met: 'no HOME',
    line: 'status',
    code: 'usage',
    says: /^Nothing says where your home directory is/,
    hint: /--home DIR or COPPICE_HOME\.$/,
    when: () => ({ env: { HOME: '', COPPICE_HOME: '' } }),
    possible: process.platform !== 'win32',
  },
  {
    met: 'broken YAML',
    line: 'status',
    code: 'bad-config',
    says: /config\.yaml:\d+:\d+: This is not valid YAML/,
    hint: /coppice config check$/,
    when: (folder) => configured(folder, 'sessions:\n  retention_days: [3\n'),
  },
  {
    met: 'a typo in a key of the configuration',
    line: 'maintain',
    code: 'bad-config',
    says: /config\.yaml:1:1: sesions: There is no such key\. Did you mean sessions\?$/,
    hint: /coppice config check$/,
    when: (folder) => configured(folder, 'sesions:\n  retention_days: 3\n'),
  },
  {
    met: 'a home that is a link to nothing',
    line: 'status',
    code: 'refused',
    says: /^.*dangling is not a folder\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => {
      symlinkSync('nothing', join(folder, 'dangling'));
      return { home: join(folder, 'dangling') };
    },
  },
  {
    met: 'a HOME that is a file',
    line: 'status',
    code: 'refused',
    says: /^Something on the way to .*file\/\.coppice is not a folder\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => ({ env: { HOME: writtenFile(folder), COPPICE_HOME: '' } }),
    possible: process.platform !== 'win32',
  },
  {
    met: 'a tab in the configuration',
    line: 'status',
    code: 'bad-config',
    says: /config\.yaml:2:1: There is a tab at the start of the line\. Use spaces\.$/,
    hint: /coppice config check$/,
    when: (folder) => configured(folder, 'sessions:\n\tretention_days: 3\n'),
  },
  {
    met: 'a word where the configuration takes a number',
    line: 'status',
    code: 'bad-config',
    says: /retention_days: "ninety" is not possible here\. Write a number of days from 1 to 36,500, or never\.$/,
    hint: /coppice config check$/,
    when: (folder) => configured(folder, 'sessions:\n  retention_days: ninety\n'),
  },
  {
    met: 'a configuration that is a folder',
    line: 'status',
    code: 'bad-config',
    says: /^\S*config\.yaml is not a file, but a folder\. Move it out of the way\.$/,
    hint: /coppice config check$/,
    when: (folder) => {
      mkdirSync(join(folder, 'home', 'config.yaml'));
      return {};
    },
  },
  {
    met: 'a database that was cut off',
    line: 'status',
    code: 'integrity',
    says: /^SQLite cannot read .*state\.db: it is damaged\.$/,
    hint: /coppice sessions import DAMAGED-HOME\/sessions --home NEW-HOME$/,
    when: (folder) => {
      truncateSync(join(folder, 'home', 'state.db'), 5000);
      return {};
    },
  },
  {
    met: 'a database that is damaged inside',
    line: 'sessions list',
    code: 'integrity',
    says: /^SQLite cannot read .*: it is damaged\.$/,
    hint: /coppice sessions import DAMAGED-HOME\/sessions --home NEW-HOME$/,
    when: (folder) => {
      const file = join(folder, 'home', 'state.db');
      const bytes = readFileSync(file);
      writeFileSync(file, Buffer.concat([bytes.subarray(0, 3 * 4096), Buffer.alloc(bytes.length - 3 * 4096, 0xa5)]));
      return {};
    },
  },
  {
    met: 'a home of a newer version',
    line: 'status',
    code: 'integrity',
    says: /newer/,
    hint: /./,
    when: (folder) => {
      using(join(folder, 'home', 'state.db'), (database) => database.pragma('user_version = 999'));
      return {};
    },
  },
  {
    met: 'a home that another process is changing',
    line: 'sessions prune --older-than 30d --yes',
    code: 'locked',
    says: /^Another process is changing what this home keeps/,
    hint: /coppice runs list$/,
    when: (folder) => held(join(folder, 'home', 'lock.db')),
  },
  {
    met: 'a database that stays busy',
    line: 'sessions rename alpha-one New',
    code: 'locked',
    says: /was busy for 30 s/,
    hint: /coppice sessions list --active$/,
    when: (folder) => held(join(folder, 'home', 'state.db')),
    possible: PATIENT,
  },
  {
    met: 'a full disk',
    line: 'status',
    code: 'failed',
    says: /^There is no space left on the disk that holds .*\.$/,
    hint: /coppice plan, .*coppice trash empty --all$/,
    when: (folder) => {
      const disk = join(folder, 'disk');
      return { home: join(disk, 'home'), stop: mountDisk(disk, '64k') };
    },
    possible: CAN_MOUNT,
  },
]);

it.runIf(process.platform === 'linux')(
  'a folder that was removed under its visitor: a sentence and the next step',
  () => {
    const folder = join(tempDir(), 'gone');
    const script = 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" checkpoints take';
    const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', folder, process.execPath, BIN], {
      env: { PATH: process.env['PATH'], HOME: tempDir() },
      encoding: 'utf8',
    });
    expect(stderr).toMatch(
      /^coppice: The folder that you are in was removed\.\nChange to one that is there, .*: cd ~\n$/,
    );
    expect(status).toBe(FAILURES.usage.exit);
  },
);

function writtenFile(folder: string): string {
  const file = join(folder, 'file');
  writeFileSync(file, 'mine');
  return file;
}

function configured(folder: string, yaml: string): Met {
  writeFileSync(join(folder, 'home', 'config.yaml'), yaml);
  return {};
}

function using(file: string, work: (database: BetterSqlite3.Database) => unknown): void {
  const database = new BetterSqlite3(file);
  work(database);
  database.close();
}

/** Holds the lock of a database until the line was refused. */
function held(file: string): Met {
  const database = new BetterSqlite3(file);
  database.exec('BEGIN EXCLUSIVE');
  return { stop: () => database.close() };
}
