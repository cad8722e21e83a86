import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { SECOND_MS } from '../../core/time.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { writeFileAtomic } from '../../platform/files/private-files.ts';
import { readTextIfThere } from '../../platform/text/read-text-if-there.ts';
import { createHomeLock } from '../../store/sqlite/sqlite-home-lock.ts';
import { prepareHome } from '../home-path.ts';
import { isHomeName } from './home-names.ts';

/** What a person said about the homes of this machine. Homes that are where their agents usually have them need no word. */
export interface HomeRegistry {
  readonly added: readonly AddedHome[];
  /** Homes that are left out of everything that is about all of them. */
  readonly ignored: readonly string[];
}

/** A home that somebody named, in a place where nobody would look. */
export interface AddedHome {
  readonly path: string;
  readonly name: string;
  /** `native`, or the kind of home that was found there. */
  readonly kind: string;
}

/** Where it is written down: in Coppice's own home, as docs/formats/homes.md has it. */
export function registryFile(root: string): string {
  return join(root, 'homes.json');
}

/** Reads it. A file with a mistake is refused: what it should leave out would be dealt with like everything else. */
export function readRegistry(root: string): HomeRegistry {
  const file = registryFile(root);
  // A path through a file has no list: whoever opens that home says what is wrong.
  const text = isFolder(root) ? readTextIfThere(file) : '';
  return text === '' ? NOTHING_SAID : checked(file, parsed(file, text));
}

/** Changes it, alone. That home is made where there is none yet. */
export async function changeRegistry(root: string, change: (registry: HomeRegistry) => HomeRegistry): Promise<void> {
  prepareHome(root, { create: true });
  const lock = createHomeLock(nativeLayout(root).lock, { set: async () => {}, get: async () => undefined });
  using _lock = await lock.acquire('noting a home', LOCK_WAIT_MS);
  const { added, ignored } = change(readRegistry(root));
  writeFileAtomic(registryFile(root), `${JSON.stringify({ version: VERSION, added, ignored }, undefined, 2)}\n`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const VERSION = 1;
const NOTHING_SAID: HomeRegistry = { added: [], ignored: [] };
const LOCK_WAIT_MS = 10 * SECOND_MS;

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw mistake(file, 'it is not JSON', error);
  }
}

function checked(file: string, value: unknown): HomeRegistry {
  if (!isJsonObject(value)) throw mistake(file, 'it is not an object');
  const { version, added = [], ignored = [], ...others } = value;
  if (typeof version === 'number' && version > VERSION)
    throw mistake(file, `it has version ${version}, and this version of Coppice knows ${VERSION}`);
  if (version !== VERSION) throw mistake(file, `version is not ${VERSION}`);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw mistake(file, `${unknown} is not a key of it`);
  if (!Array.isArray(added) || !added.every(isAdded)) throw mistake(file, 'added does not list homes');
  if (!Array.isArray(ignored) || !ignored.every(isPath)) throw mistake(file, 'ignored does not list paths');
  const homes = added as readonly unknown[] as readonly AddedHome[];
  const twice = homes.find(({ name }, at) => homes.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined) throw mistake(file, `two homes are called ${twice.name}`);
  return { added: homes, ignored: ignored as readonly unknown[] as readonly string[] };
}

function isAdded(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { path, name, kind, ...others } = value;
  return isPath(path) && isHomeName(name) && typeof kind === 'string' && Object.keys(others).length === 0;
}

function isPath(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && isAbsolute(value) && !value.includes('\0');
}

function mistake(file: string, what: string, cause?: unknown): Failure {
  return new Failure('bad-config', `The list of homes in ${file} has a mistake: ${what}.`, {
    hint: 'Nothing was changed. Correct the file, or remove it: homes in their usual places are found without it.',
    cause,
  });
}
