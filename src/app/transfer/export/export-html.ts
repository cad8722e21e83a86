import type { Message } from '../../../core/sessions/message.ts';
import { isoTime } from '../../../core/time.ts';
import type { ExportedSession } from './exported-session.ts';
import { type Block, type InlineImage, messageBlocks, visibleText } from '../../../core/sessions/message-blocks.ts';
import { sessionHeading, sessionSummary } from '../session-summary.ts';

/** Sessions as one page that needs nothing else and runs nothing: all text is escaped and the page forbids scripts. */
export async function* exportHtml(sessions: AsyncIterable<ExportedSession>): AsyncGenerator<string> {
  yield HEAD;
  for await (const { facts, messages } of sessions) {
    yield `<section>\n<h1>${escapeHtml(sessionHeading(facts))}</h1>\n<dl>\n`;
    for (const [name, value] of sessionSummary(facts)) yield `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>\n`;
    yield '</dl>\n';
    for await (const message of messages) yield messageHtml(message);
    yield '</section>\n';
  }
  yield '</body>\n</html>\n';
}

function messageHtml(message: Message): string {
  const at = isoTime(message.at);
  const blocks = messageBlocks(message).map(blockHtml).join('');
  return `<article class="${message.role}">\n<h2>${message.role} <time datetime="${at}">${at}</time></h2>\n${blocks}</article>\n`;
}

function blockHtml(block: Block): string {
  if (block.kind === 'image') return imageHtml(block.name, block.image);
  const text = escapeHtml(block.text);
  if (block.kind === 'text') return `<div class="text">${text}</div>\n`;
  if (block.kind === 'aside') return `<div class="aside"><b>${block.label}</b> ${text}</div>\n`;
  const label = block.kind === 'call' ? `call of ${block.name}` : block.label;
  return `<figure><figcaption>${escapeHtml(label)}</figcaption><pre>\n${text}</pre></figure>\n`;
}

/** Only images that cannot carry scripts, and only data that is nothing but base64. */
function imageHtml(name: string, image: InlineImage | undefined): string {
  const caption = escapeHtml(name);
  const data = image?.data.replace(/\s/g, '') ?? '';
  if (image === undefined || !SAFE_IMAGES.has(image.mediaType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    return `<p class="image">[image: ${caption}]</p>\n`;
  }
  return `<p class="image"><img src="data:${image.mediaType};base64,${data}" alt="${caption}"></p>\n`;
}

const SAFE_IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const HEAD = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Coppice">
<title>Sessions</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
section + section { margin-top: 4rem; border-top: 2px solid var(--line); }
h2 { font-size: 0.9rem; margin: 0; }
time, dt, figcaption { opacity: 0.65; font-weight: normal; font-size: 0.85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
article { border-left: 3px solid var(--line); margin: 1rem 0; padding: 0 0 0 1rem; }
article.user { border-color: #2a7; }
article.assistant { border-color: #27c; }
.text, .aside { white-space: pre-wrap; overflow-wrap: anywhere; }
.aside { opacity: 0.75; border-left: 2px dotted var(--line); padding-left: 0.5rem; margin: 0.5rem 0; }
figure { margin: 0.5rem 0; }
pre { background: var(--soft); margin: 0; padding: 0.5rem; overflow-x: auto; }
img { max-width: 100%; }
</style>
</head>
<body>
`;
