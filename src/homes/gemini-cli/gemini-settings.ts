import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { objectOf } from '../../core/sessions/message-parts.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readRegular } from '../../platform/files/open-regular.ts';

/** Where an administrator sets what holds for all users of a machine. */
export const SYSTEM: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: '/etc/gemini-cli',
  darwin: '/Library/Application Support/GeminiCli',
};

/** What is set about sessions, put together from several files, of which a later one goes before an earlier one. */
export interface RetentionSettings {
  readonly fields: JsonObject;
  /** The files in which any of it is set. */
  readonly from: readonly string[];
  /** A file that is there and cannot be read. The program does not even start with it. */
  readonly unreadable?: string;
}

/** As the program puts them together: defaults of the machine, the person, the project, and what the machine insists on. */
export function retentionSettings(
  home: string,
  { system, root }: { readonly system: string | undefined; readonly root?: string | undefined },
): RetentionSettings {
  const paths = [
    ...(system === undefined ? [] : [join(system, 'system-defaults.json')]),
    join(home, 'settings.json'),
    // For who works in the folder above the home itself, the two are one.
    ...(root === undefined || root === dirname(home) ? [] : [join(root, '.gemini', 'settings.json')]),
    ...(system === undefined ? [] : [join(system, 'settings.json')]),
  ];
  const fields = { enabled: true, maxAge: '30d' };
  const from: string[] = [];
  for (const path of paths) {
    const settings = readSettings(path);
    if (settings === 'unreadable') return { fields, from, unreadable: path };
    const set = objectOf(objectOf(settings?.['general'])?.['sessionRetention']);
    if (set === undefined) continue;
    Object.assign(fields, set);
    from.push(path);
  }
  return { fields, from };
}

/** Undefined where there is no such file. */
function readSettings(path: string): JsonObject | 'unreadable' | undefined {
  try {
    const text = readRegular(path)
      .toString()
      .replace(/^\uFEFF/, '');
    const value: unknown = JSON.parse(withoutComments(text));
    return isJsonObject(value) ? value : 'unreadable';
  } catch (error) {
    return ABSENT.has(errorCode(error) ?? '') ? undefined : 'unreadable';
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

/** People may write comments into it. What looks like one within a text is none. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_, quoted: string | undefined) => quoted ?? ' ',
  );
}
