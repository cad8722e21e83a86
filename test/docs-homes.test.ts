import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../src/homes/kinds.ts';
import { ROOT } from './support/documentation.ts';

const FOLDER = join(ROOT, 'docs/homes');
const pages = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'));

describe('the pages about homes of other agents', () => {
  it.each(KINDS.map(({ agent }) => agent))(
    'has one that says of %s what Coppice knows, may do and leaves alone',
    (agent) => {
      const page = pages.find((text) => (text.split('\n')[0] ?? '').includes(agent)) ?? '';
      for (const part of ['Recognises.', 'May do.', 'Holds.', 'Never touches.', 'Checked against'])
        expect(page).toContain(`**${part}**`);
    },
  );
});
