import { useState } from 'preact/hooks';
import type { Answer } from '../../client/api.ts';
import { formatBytes, formatCount, formatTokens, formatUsd, plural } from '../../core/format.ts';
import { asFailure } from '../api/api-failure.ts';
import { call } from '../api/call.ts';
import { go } from '../place.ts';
import { PlanDialog } from '../plan/plan-dialog.tsx';
import { changes } from '../plan/receipt.tsx';
import { Dialog } from './dialog.tsx';
import { Link } from './link.tsx';
import { TagDialog } from './tag-dialog.tsx';
import { Time } from './time.tsx';

export type SessionDetail = Answer<'GET /api/sessions/{id}'>;

/** What is known of a session, and what can be done with it. */
export function SessionHead({ session }: { readonly session: SessionDetail }) {
  const { id, title, tags, pinned } = session;
  return (
    <>
      <h1>{title ?? id}</h1>
      <p class="facts">
        <Facts session={session} />
      </p>
      {(pinned || tags.length > 0) && (
        <p>
          {pinned && <span class="tag">pinned</span>}
          {tags.map((tag) => (
            <Link key={tag} to="/sessions" query={{ tags: tag }} class="tag">
              {tag}
            </Link>
          ))}
        </p>
      )}
      <Actions session={session} />
      <UsageTable session={session} />
    </>
  );
}

function Facts({ session }: { readonly session: SessionDetail }) {
  const {
    id,
    source,
    model,
    workdir,
    startedAt,
    lastActiveAt,
    endReason,
    parentId,
    archivedAt,
    messageCount,
    sizeBytes,
  } = session;
  return (
    <>
      <code>{id}</code>
      <span>{source}</span>
      {model !== undefined && <span>{model}</span>}
      {workdir !== undefined && <span>{workdir}</span>}
      <span>
        begun <Time at={startedAt} />
      </span>
      <span>
        last used <Time at={lastActiveAt} />
      </span>
      <span>{endReason === undefined ? 'open' : `ended: ${endReason}`}</span>
      <span>
        {plural(messageCount, 'message')}, {formatBytes(sizeBytes)}
      </span>
      {archivedAt !== undefined && (
        <span>
          archived <Time at={archivedAt} />
        </span>
      )}
      {parentId !== undefined && (
        <Link to="/session" query={{ id: parentId }}>
          what it comes from
        </Link>
      )}
    </>
  );
}

function Actions({ session: { id, title, pinned, archivedAt, hold } }: { readonly session: SessionDetail }) {
  const [asking, setAsking] = useState<'rename' | 'tag' | 'delete' | undefined>();
  const [said, setSaid] = useState<string | undefined>();
  const close = () => setAsking(undefined);
  const pin = async () => {
    try {
      await call('PATCH /api/sessions/{id}', { id, body: { pinned: !pinned } });
      changes.value += 1;
    } catch (error) {
      setSaid(asFailure(error).message);
    }
  };
  if (archivedAt !== undefined || hold !== undefined) return null;
  return (
    <p class="buttons">
      <button type="button" onClick={() => void pin()}>
        {pinned ? 'Unpin' : 'Pin'}
      </button>
      <button type="button" onClick={() => setAsking('rename')}>
        Rename…
      </button>
      <button type="button" onClick={() => setAsking('tag')}>
        Tag…
      </button>
      <button type="button" onClick={() => setAsking('delete')}>
        Delete…
      </button>
      {said !== undefined && (
        <span role="alert" class="red">
          {said}
        </span>
      )}
      {asking === 'rename' && <Rename id={id} title={title ?? ''} onClose={close} />}
      {asking === 'tag' && <TagDialog ids={[id]} onClose={close} onDone={close} />}
      {asking === 'delete' && (
        <PlanDialog
          title="Delete this session"
          request={{ kind: 'delete', ids: [id] }}
          onClose={close}
          onDone={() => go('/sessions')}
        />
      )}
    </p>
  );
}

function Rename({ id, title, onClose }: { readonly id: string; readonly title: string; readonly onClose: () => void }) {
  const [name, setName] = useState(title);
  const [said, setSaid] = useState<string | undefined>();
  const rename = async () => {
    try {
      await call('PATCH /api/sessions/{id}', { id, body: { title: name.trim() } });
      changes.value += 1;
      onClose();
    } catch (error) {
      setSaid(asFailure(error).message);
    }
  };
  return (
    <Dialog title="Rename" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <label>
          Title <input value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        {said !== undefined && (
          <p role="alert" class="red">
            {said}
          </p>
        )}
        <p class="buttons">
          <button class="primary" disabled={name.trim() === ''}>
            Rename
          </button>
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function UsageTable({ session: { usageByModel } }: { readonly session: SessionDetail }) {
  if (usageByModel.length === 0) return null;
  return (
    <details class="group">
      <summary>
        <span class="what">What it used</span>
        <span class="amount">{formatUsd(usageByModel.reduce((sum, { costUsd }) => sum + costUsd, 0))}</span>
      </summary>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Input</th>
            <th scope="col">Output</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {usageByModel.map((one) => (
            <tr key={one.model}>
              <th scope="row">{one.model}</th>
              <td title={formatCount(one.inputTokens)}>{formatTokens(one.inputTokens)}</td>
              <td title={formatCount(one.outputTokens)}>{formatTokens(one.outputTokens)}</td>
              <td>{formatUsd(one.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
