import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import { configJsonSchema, type JsonSchema, namedKeys } from './config-json-schema.ts';
import { valuePaths } from './config-origins.ts';
import { configTemplate } from './config-template.ts';
import { type ParsedConfig, parseConfig } from './parse-config.ts';

describe('configTemplate', () => {
  it('changes nothing as it is', () => {
    expect(parse(configTemplate())).toMatchObject({ status: 'ok', config: DEFAULT_CONFIG });
    expect(levels(parse(configTemplate()))).toStrictEqual(new Set(['default']));
  });

  it('gives the defaults, all from the file, when every line is uncommented', () => {
    const uncommented = configTemplate().replaceAll(/^( *)# ?/gm, '$1');
    expect(parse(uncommented)).toMatchObject({ status: 'ok', config: DEFAULT_CONFIG });
    expect(levels(parse(uncommented))).toStrictEqual(new Set(['file']));
  });

  it('stays valid when any single line is uncommented', () => {
    const lines = configTemplate().split('\n');
    for (const [index, line] of lines.entries()) {
      const text = lines.with(index, line.replace(/^( *)# ?/, '$1')).join('\n');
      expect(parse(text), line).toMatchObject({ status: 'ok', config: DEFAULT_CONFIG });
    }
  });

  it('explains every key in one sentence', () => {
    for (const line of configTemplate().split('\n')) {
      if (/^ *##/.test(line)) expect(line).toMatch(/^ *## [A-Z].+[.:0-9a-z}]$/);
    }
    for (const path of valuePaths(DEFAULT_CONFIG)) expect(configTemplate()).toContain(`# ${path.at(-1)}: `);
  });
});

describe('configJsonSchema', () => {
  it('describes every section and every key and allows no others', () => {
    const visit = (node: JsonSchema, path: string) => {
      expect(node.description, path).toMatch(/^[A-Z].*\.$/);
      const keys = namedKeys(node);
      // A section allows no other keys; a map of sources allows sources, each with keys of its own.
      if (keys.length > 0) expect(['boolean:false', 'object:'], path).toContain(kindOf(node.additionalProperties));
      for (const [name, child] of keys) visit(child, `${path}.${name}`);
    };
    const schema = configJsonSchema();
    visit(schema, '');
    expect(schema.additionalProperties).toBe(false);
    expect(namedKeys(schema).map(([name]) => name)).toStrictEqual(Object.keys(DEFAULT_CONFIG));
  });

  it('tells editors the default, the range and the word never', () => {
    const sessions = namedKeys(configJsonSchema()).find(([name]) => name === 'sessions')?.[1];
    expect(sessions?.properties?.['retention_days']).toMatchObject({
      default: 90,
      anyOf: [{ type: 'number', minimum: 1, maximum: 36_500 }, { const: 'never' }],
    });
  });

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(configJsonSchema()))).toStrictEqual(configJsonSchema());
  });
});

function kindOf(value: unknown): string {
  return `${typeof value}:${typeof value === 'boolean' ? value : ''}`;
}

function parse(text: string): ParsedConfig {
  return parseConfig({ file: 'config.yaml', bytes: new TextEncoder().encode(text), settings: [] });
}

function levels(parsed: ParsedConfig): ReadonlySet<string> {
  return new Set(parsed.status === 'ok' ? [...parsed.origins.values()].map(({ level }) => level) : []);
}
