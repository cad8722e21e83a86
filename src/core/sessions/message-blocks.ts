import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { nestedDeeper } from '../nested-deeper.ts';
import { callOf, contentText, type Message, type ToolCall } from './message.ts';

/** What a reader sees of a message, one block after the other, whatever shape the agent's provider gave it. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly label: string; readonly text: string }
  /** A tool that is called, and what it is given. */
  | { readonly kind: 'call'; readonly name: string; readonly text: string }
  /** What was not said to anybody: thoughts, summaries of what was said before, and what went wrong. */
  | { readonly kind: 'aside'; readonly label: Aside; readonly text: string }
  | { readonly kind: 'image'; readonly name: string; readonly image?: InlineImage };

export type Aside = 'thinking' | 'summary' | 'error';

export interface InlineImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** Splits a message into blocks. Output of tools is code; tool calls follow the text that announces them. */
export function messageBlocks({ role, content, toolCalls, name, failed }: Message): readonly Block[] {
  const parts = typeof content === 'string' ? [textBlock(content)] : content.flatMap(partBlocks);
  const label = `${failed ? 'failed result' : 'result'}${name === undefined ? '' : ` of ${name}`}`;
  const shown = parts.map((block) => (role === 'tool' && block.kind === 'text' ? codeBlock(label, block.text) : block));
  const calls = (toolCalls ?? []).map(callBlock);
  return [...shown, ...calls].filter((block) => block.kind !== 'text' || block.text !== '');
}

/** Takes out characters that no page shows and that a terminal would obey. */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '\uFFFD');
}

function partBlocks(part: JsonObject): readonly Block[] {
  const image = imageBlock(part);
  if (image !== undefined) return [image];
  const called = callOf(part);
  if (called !== undefined) return [callBlock(called)];
  const type = stringOf(part['type']);
  if (type === 'tool_result' || type === 'function_call_output') return resultBlocks(part);
  if (type?.startsWith('redacted_')) return [textBlock('[hidden by the provider]')];
  const text = contentText([part]);
  if (text === '') return type === 'text' ? [] : [codeBlock(type ?? 'part', pretty(part))];
  const aside = ASIDES.get(type ?? '');
  return [aside === undefined ? textBlock(text) : { kind: 'aside', label: aside, text }];
}

const ASIDES: ReadonlyMap<string, Aside> = new Map([
  ['thinking', 'thinking'],
  ['reasoning', 'thinking'],
  ['compaction', 'summary'],
  ['error', 'error'],
]);

/** What a tool gave back, where a provider puts it among the words of the user; its images stay images. */
function resultBlocks(part: JsonObject): readonly Block[] {
  const label = part['is_error'] === true ? 'failed result' : 'result';
  const inner = part['content'];
  if (!Array.isArray(inner)) return [codeBlock(label, contentText([part]))];
  const parts = inner.map(
    (item: JsonValue): JsonObject =>
      isJsonObject(item) ? item : { type: 'text', text: typeof item === 'string' ? item : JSON.stringify(item) },
  );
  return parts.map((item) => imageBlock(item) ?? codeBlock(label, contentText([item]) || pretty(item)));
}

function callBlock({ name, arguments: given }: Pick<ToolCall, 'name' | 'arguments'>): Block {
  return { kind: 'call', name, text: pretty(given) };
}

/** Images as Anthropic (`source`), OpenAI (`image_url`) and Google (`inlineData`) send them, or with the data beside the type. */
function imageBlock(part: JsonObject): Block | undefined {
  const source = part['source'];
  if (part['type'] === 'image' && isJsonObject(source)) {
    return namedImage({ url: source['url'], mediaType: source['media_type'], data: source['data'] });
  }
  if (part['type'] === 'image' && part['data'] !== undefined) {
    return namedImage({ mediaType: part['mimeType'] ?? part['media_type'] ?? 'image', data: part['data'] });
  }
  const link = part['image_url'];
  if (link !== undefined) return namedImage({ url: isJsonObject(link) ? link['url'] : link });
  const inline = part['inlineData'] ?? part['inline_data'];
  if (!isJsonObject(inline)) return undefined;
  return namedImage({ mediaType: inline['mimeType'] ?? inline['mime_type'], data: inline['data'] });
}

type ImageFields = Readonly<Partial<Record<'url' | 'mediaType' | 'data', JsonValue | undefined>>>;

function namedImage(fields: ImageFields): Block {
  const url = stringOf(fields.url) ?? '';
  const [dataUrlStart, urlType] = /^data:([\w/+.-]{1,100});base64,/i.exec(url) ?? [];
  const mediaType = urlType ?? stringOf(fields.mediaType);
  const data = dataUrlStart === undefined ? stringOf(fields.data) : url.slice(dataUrlStart.length);
  if (mediaType === undefined || data === undefined) return { kind: 'image', name: shorten(url) || 'image' };
  const sizeBytes = Math.floor((data.length * 3) / 4);
  return { kind: 'image', name: `${mediaType}, ${sizeBytes} bytes`, image: { mediaType, data } };
}

function textBlock(text: string): Block {
  return { kind: 'text', text };
}

function codeBlock(label: string, text: string): { kind: 'code'; label: string; text: string } {
  return { kind: 'code', label, text };
}

/** Indenting what is nested without end would fill the disk with blanks. */
const MAX_LEVELS = 50;

function pretty(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (nestedDeeper(value, MAX_LEVELS)) return '(nested too deeply to show)';
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? shorten(item) : item), 2);
}

/** Audio and files are as long as books; their beginning tells enough. The lossless export has all of it. */
function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, 100)}… (${text.length} characters)`;
}

const MAX_SHOWN = 10_000;

function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
