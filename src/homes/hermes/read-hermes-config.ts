import { parseDocument } from 'yaml';
import { readRegular } from '../../platform/files/open-regular.ts';

/** Hermes' own `config.yaml`. What cannot be read says nothing; `coppice doctor` tells what is wrong with it. */
export function readHermesConfig(path: string): unknown {
  try {
    const document = parseDocument(readRegular(path).toString());
    return document.errors.length === 0 ? document.toJS() : undefined;
  } catch {
    return undefined;
  }
}
