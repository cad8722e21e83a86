import { useEffect, useRef } from 'preact/hooks';
import { formatBytes, formatCount, formatTokens, formatUsd } from '../../core/format.ts';
import { Excerpt } from './excerpt.tsx';
import { Link } from './link.tsx';
import type { Row } from './session-list.ts';
import { Time } from './time.tsx';
import { useSight } from './virtual-rows.ts';

const ROW_PX = 52;

interface TableProps {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly chosen: ReadonlySet<string>;
  /** The row that keys are about. */
  readonly at: number;
  readonly onChoose: (id: string, chosen: boolean) => void;
  readonly onEnd: () => void;
}

/** A table of which only the rows in sight are drawn. */
export function SessionTable({ rows, total = rows.length, chosen, at, onChoose, onEnd }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = useSight(box, { count: rows.length, height: ROW_PX });
  useEffect(() => {
    if (to >= rows.length - 1) onEnd();
  }, [to, rows.length]);
  useEffect(() => keepInSight(box.current, at), [at]);
  const shown = rows.slice(from, to);
  return (
    <div class="rows" ref={box} tabIndex={0} role="region" aria-label="Sessions">
      <table aria-rowcount={total + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" class="tick">
              <span class="unseen">Chosen</span>
            </th>
            <th scope="col">Session</th>
            <th scope="col" class="wide">
              Source
            </th>
            <th scope="col" class="narrow">
              Last used
            </th>
            <th scope="col" class="wide number">
              Messages
            </th>
            <th scope="col" class="wider number">
              Tokens
            </th>
            <th scope="col" class="wider number">
              Cost
            </th>
            <th scope="col" class="number">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          <Space rows={from} />
          {shown.map((row, index) => (
            <SessionRow
              key={row.id}
              row={row}
              index={from + index}
              isAt={from + index === at}
              isChosen={chosen.has(row.id)}
              onChoose={onChoose}
            />
          ))}
          <Space rows={rows.length - to} />
        </tbody>
      </table>
    </div>
  );
}

/** The room of rows that are not drawn. */
function Space({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden="true" class="space">
      <td style={{ height: `${rows * ROW_PX}px` }} />
    </tr>
  );
}

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly onChoose: TableProps['onChoose'];
}

function SessionRow({ row, index, isAt, isChosen, onChoose }: RowProps) {
  const { id, title, source, lastActiveAt, messageCount, usage, sizeBytes, pinned, tags, message, excerpt } = row;
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const name = title ?? id;
  return (
    <tr aria-rowindex={index + 2} class={isAt ? 'at' : undefined} aria-selected={isChosen}>
      <td class="tick">
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          checked={isChosen}
          onChange={(event) => onChoose(id, event.currentTarget.checked)}
        />
      </td>
      <th scope="row">
        <Link to="/session" query={{ id, ...(message !== undefined && { at: String(message.seq) }) }} class="name">
          {name}
        </Link>
        <span class="second">
          {excerpt === undefined ? title === undefined ? '' : id : <Excerpt excerpt={excerpt} />}
          {pinned && <span class="tag">pinned</span>}
          {tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
        </span>
      </th>
      <td class="wide">{source}</td>
      <td class="narrow">
        <Time at={lastActiveAt} />
      </td>
      <td class="wide number">{formatCount(messageCount)}</td>
      <td class="wider number">{formatTokens(tokens)}</td>
      <td class="wider number">{formatUsd(usage.costUsd)}</td>
      <td class="number">{formatBytes(sizeBytes)}</td>
    </tr>
  );
}

function keepInSight(box: HTMLElement | null, at: number): void {
  if (box === null || at < 0) return;
  const head = box.querySelector('thead')?.clientHeight ?? 0;
  const top = at * ROW_PX;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW_PX + head > box.scrollTop + box.clientHeight)
    box.scrollTop = top + ROW_PX + head - box.clientHeight;
}
