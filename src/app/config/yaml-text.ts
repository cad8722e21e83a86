import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { JsonValue } from '../../core/json.ts';

export type YamlPath = readonly PropertyKey[];

export interface Position {
  readonly line: number;
  readonly col: number;
}

/** A YAML text as plain data, with a way back from a path in the data to its place in the text. */
export interface YamlText {
  /** Undefined when the text is so broken that its content means nothing. */
  readonly data: JsonValue | undefined;
  readonly errors: readonly { readonly position: Position; readonly message: string }[];
  positionOf(path: YamlPath, part: 'key' | 'value'): Position;
}

/** How often anchors may be repeated in all, before the text is taken for an attempt to fill the memory. */
const MAX_ALIASES = 100;

/** Reads YAML 1.2. Whatever the parser finds strange is an error; a key written twice leaves the rest readable. */
export function readYamlText(text: string): YamlText {
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const positionOf: YamlText['positionOf'] = (path, part) => lines.linePos(offsetOf(doc, path, part));
  const found = [...doc.errors, ...doc.warnings].map(({ code, message, pos }) => {
    return { code, position: lines.linePos(pos[0]), message: MESSAGES[code] ?? `This is not valid YAML: ${message}.` };
  });
  // One fault makes the parser stumble over everything after it, so only the first is worth showing.
  const broken = found.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (broken !== undefined) return { data: undefined, errors: [broken], positionOf };
  try {
    const data: JsonValue = doc.toJS({ maxAliasCount: MAX_ALIASES });
    return { data, errors: found, positionOf };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const message = 'An alias (*name) refers to nothing or stands for too much. Write the values out.';
    return { data: undefined, errors: [...found, { position: lines.linePos(firstAlias(doc)), message }], positionOf };
  }
}

const MESSAGES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'This key is written twice. Remove one of the two.',
  TAB_AS_INDENT: 'There is a tab at the start of the line. Use spaces.',
  NON_STRING_KEY: 'A key must be a plain word.',
  RESOURCE_EXHAUSTION: 'This is nested too deeply.',
  MULTIPLE_DOCS: 'There is more than one document. Remove the line with three dashes (---).',
};

/** Walks as far along the path as the text goes, so that there is always a place to point at. */
function offsetOf(doc: Document, path: YamlPath, part: 'key' | 'value'): number {
  let node: Node | null | undefined = doc.contents;
  let offset = start(node, 0);
  for (const [depth, name] of path.entries()) {
    const { key, value } = childOf(doc, node, name);
    const wanted = part === 'key' && depth === path.length - 1 ? key : (value ?? key);
    offset = start(wanted, offset);
    node = value;
  }
  return offset;
}

interface Child {
  readonly key?: Node | null;
  readonly value?: Node | null;
}

function childOf(doc: Document, parent: Node | null | undefined, name: PropertyKey): Child {
  const node = isAlias(parent) ? parent.resolve(doc) : parent;
  if (isSeq<Node>(node)) return { value: node.items[Number(name)] ?? null };
  if (!isMap<Node, Node | null>(node)) return {};
  // Of a key written twice the last one counts, as in the data.
  return node.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(name)) ?? {};
}

function start(node: Node | null | undefined, otherwise: number): number {
  return node?.range?.[0] ?? otherwise;
}

function firstAlias(doc: Document): number {
  let offset = 0;
  visit(doc, {
    Alias: (_key, node) => {
      offset = start(node, 0);
      return visit.BREAK;
    },
  });
  return offset;
}
