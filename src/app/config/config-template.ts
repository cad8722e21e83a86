import { configJsonSchema, type JsonSchema, namedKeys } from './config-json-schema.ts';

const HEADER = `\
## Coppice configuration. Every key is optional; each one is shown with its default.
## To change a key, remove the # in front of it. Units are in the names of the keys; write never for no limit.
## Environment variables (COPPICE_SESSIONS__RETENTION_DAYS=30) and flags (--set) win over this file.
## Check your changes with: coppice config check
`;

/**
 * A config.yaml with every key, its default and what it does, all commented out. Explanations start with two signs,
 * so that taking one sign away from every line leaves a valid file.
 */
export function configTemplate(): string {
  const sections = namedKeys(configJsonSchema());
  return [HEADER, ...sections.map(([name, node]) => `${keyLines(name, node, '').join('\n')}\n`)].join('\n');
}

function keyLines(name: string, node: JsonSchema, indent: string): readonly string[] {
  const explanation = `${indent}## ${node.description ?? ''}`;
  if (node.properties !== undefined) {
    const keys = namedKeys(node).flatMap(([key, child]) => keyLines(key, child, `${indent}  `));
    return [explanation, `${indent}${name}:`, ...keys];
  }
  return node.default === undefined ? [] : [explanation, `${indent}# ${name}: ${yamlValue(node.default)}`];
}

function yamlValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
