import { formatTime } from '../../core/format.ts';
import type { Message } from '../../core/sessions/message.ts';
import { type Block, type InlineImage, messageBlocks, visibleText } from '../../core/sessions/message-blocks.ts';
import { Time } from './time.tsx';

interface MessageProps {
  readonly message: Omit<Message, 'at'> & { readonly at: string };
  /** It is the one that was searched for. */
  readonly isHit: boolean;
}

/** One message as it was. All of it is text to the browser, whatever it looks like. */
export function MessageView({ message, isHit }: MessageProps) {
  const { seq, role, at, model, name, rewound } = message;
  const blocks = messageBlocks({ ...message, at: Date.parse(at) });
  return (
    <article class={`message ${role}${isHit ? ' hit' : ''}`} id={`m${seq}`} aria-label={`Message ${seq}, ${role}`}>
      <header>
        <strong>{role}</strong>
        {name !== undefined && <span>{visibleText(name)}</span>}
        {model !== undefined && <span class="quiet">{visibleText(model)}</span>}
        {rewound === true && <span class="tag">taken back</span>}
        <span class="end quiet">
          #{seq} <Time at={at} />
        </span>
      </header>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
      <span class="unseen">{formatTime(Date.parse(at))}</span>
    </article>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'text':
      return <p class="said">{visibleText(block.text)}</p>;
    case 'code':
      return <Folded label={block.label} text={block.text} tone={block.label.startsWith('failed') ? 'bad' : ''} />;
    case 'call':
      return <Folded label={`calls ${block.name}`} text={block.text} tone="call" />;
    case 'aside':
      return <Folded label={block.label} text={block.text} tone={block.label === 'error' ? 'bad' : 'aside'} />;
    case 'image':
      return <Image name={block.name} image={block.image} />;
    default:
      return block satisfies never;
  }
}

/** So much is shown of what is folded, and the rest when somebody wants it: a result may be a book. */
const SHORT_CHARS = 200_000;
const SHOWN_FIRST = 120;

function Folded({ label, text, tone }: { readonly label: string; readonly text: string; readonly tone: string }) {
  const shown = visibleText(text.slice(0, SHORT_CHARS));
  const first = shown
    .slice(0, SHOWN_FIRST * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return (
    <details class={`folded ${tone}`} open={tone === 'bad'}>
      <summary>
        <b>{visibleText(label)}</b> <span class="quiet">{first.slice(0, SHOWN_FIRST)}</span>
      </summary>
      <pre>
        {shown}
        {text.length > SHORT_CHARS && '\n… the rest is in the export: coppice sessions export'}
      </pre>
    </details>
  );
}

/** Pictures that are only pixels. Others, and those that lie elsewhere, are named: nothing of another origin is asked. */
const PIXELS = /^image\/(png|jpeg|gif|webp)$/i;
const BASE64 = /^[\w+/=\s-]*$/;

function Image({ name, image }: { readonly name: string; readonly image?: InlineImage | undefined }) {
  const words = visibleText(name);
  if (image === undefined || !PIXELS.test(image.mediaType) || !BASE64.test(image.data)) {
    return <p class="quiet">[image: {words}]</p>;
  }
  return <img src={`data:${image.mediaType};base64,${image.data}`} alt={words} loading="lazy" />;
}
