import { join } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { checkHermesConfig } from './hermes-config-check.ts';

type Closest = (word: string, words: readonly string[]) => string | undefined;

/** What is wrong with Hermes' own `config.yaml`. */
export function hermesSettingsProblems(home: string, closest: Closest): Problem[] {
  const text = readIfThere(join(home, 'config.yaml'));
  if (text instanceof Error) {
    const message = `config.yaml cannot be read: ${text.message.replace(/\.$/, '')}.`;
    return [{ kind: 'config-unreadable', subject: 'config.yaml', message }];
  }
  const environment = readEnvironment(join(home, '.env'));
  return checkHermesConfig(text, { closest, environment });
}

function readIfThere(path: string): string | Error {
  try {
    return readRegular(path).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What Hermes reads from its `.env`, as far as the checks ask. Values are looked at and never shown. */
function readEnvironment(path: string): Record<string, string> {
  const text = readIfThere(path);
  if (text instanceof Error) return {};
  const lines = text.matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*(.*?)[ \t]*$/gm);
  return Object.fromEntries(
    Array.from(lines, ([, name = '', value = '']) => [name, value.replace(/^(["'])(.*)\1$/, '$2')]),
  );
}
