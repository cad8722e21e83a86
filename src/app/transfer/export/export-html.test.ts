import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../core/sessions/message.ts';
import { NO_USAGE, type SessionFacts } from '../../../core/sessions/session.ts';
import { exportHtml } from './export-html.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';

describe('exportHtml', () => {
  it('is one page that forbids everything but its own style and inline images', async () => {
    const page = await html({ messages: [message('hi')] });
    expect(page).toMatch(/^<!DOCTYPE html>/);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`);
    expect(page).not.toMatch(/<script|<link|<iframe|https?:/);
  });

  it('escapes all text, wherever it stands', async () => {
    const hostile = fc.oneof(
      fc.constantFrom('<script>alert(1)</script>', '"><img src=x onerror=y>', '</pre></section>', '<!--', "'&amp;"),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const page = await html({
          facts: { id: text, title: text, source: text, workdir: text, tags: [text] },
          messages: [
            message(text),
            message([{ type: text, x: text }]),
            message([{ type: 'image_url', image_url: { url: text } }]),
            message([{ type: 'image', source: { media_type: text, data: text } }]),
            { ...message(text), role: 'tool', name: text },
            { ...message(text), toolCalls: [{ id: text, name: text, arguments: text }] },
          ],
        });
        expect(tagsOf(page)).toEqual(tagsOf(page).filter((tag) => OWN_TAGS.test(tag)));
      }),
    );
  });

  it.each([
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }, true],
    [{ type: 'image_url', image_url: { url: `data:image/webp;base64,${PNG}` } }, true],
    [{ type: 'input_image', image_url: `data:image/gif;base64,${PNG}` }, true],
    [{ inlineData: { mimeType: 'image/jpeg', data: PNG } }, true],
    [{ type: 'image_url', image_url: { url: `data:image/svg+xml;base64,${PNG}` } }, false],
    [{ type: 'image_url', image_url: { url: 'data:text/html;base64,PHA+' } }, false],
    [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }, false],
    [{ type: 'image', source: { media_type: 'image/png', data: '" onerror="x' } }, false],
  ])('shows the image of %j: %s', async (part, shown) => {
    const page = await html({ messages: [message([part])] });
    expect(page.includes('<img src="data:image/')).toBe(shown);
    expect(page.includes('[image: ')).toBe(!shown);
  });

  it('puts several sessions into sections of one page', async () => {
    const page = await html({ messages: [] }, { messages: [] });
    expect(page.match(/<section>/g)).toHaveLength(2);
    expect(page.match(/<html/g)).toHaveLength(1);
  });
});

/** Every tag that the page writes itself, with nothing in it that text could have brought. */
const OWN_TAGS =
  /^<\/?(?:!DOCTYPE html|html(?: lang="en")?|head|body|title|style|section|h1|h2|dl|dt|dd|pre|figure|figcaption|meta [^<>]*|article(?: class="\w+")?|time(?: datetime="[\dTZ:.-]+")?|div(?: class="text")?|p(?: class="image")?|img src="data:image\/\w+;base64,[\w+/=]+" alt="[^<>"']*")$/;

function tagsOf(page: string): string[] {
  return page.match(/<[^>]*/g) ?? [];
}

function message(content: Message['content']): Message {
  return { seq: 1, at: Date.UTC(2026, 0, 1), role: 'user', content };
}

interface Given {
  readonly facts?: Partial<SessionFacts>;
  readonly messages: readonly Message[];
}

async function html(...given: readonly Given[]): Promise<string> {
  let page = '';
  for await (const chunk of exportHtml(sessions(given))) page += chunk;
  return page;
}

async function* sessions(given: readonly Given[]) {
  for (const { facts, messages } of given)
    yield { facts: { ...FACTS, ...facts }, usageByModel: [], messages: stream(messages) };
}

async function* stream(messages: readonly Message[]) {
  yield* messages;
}

const FACTS: SessionFacts = {
  id: 'a',
  source: 'cli',
  startedAt: 0,
  lastActiveAt: 0,
  pinned: false,
  tags: [],
  messageCount: 0,
  toolCallCount: 0,
  usage: NO_USAGE,
  contentBytes: 0,
  transcriptBytes: 0,
  dumpBytes: 0,
};
