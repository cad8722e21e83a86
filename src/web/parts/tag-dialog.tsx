import { useState } from 'preact/hooks';
import { plural } from '../../core/format.ts';
import { asFailure } from '../api/api-failure.ts';
import { call } from '../api/call.ts';
import { changes } from '../plan/receipt.tsx';
import { Dialog } from './dialog.tsx';

interface TagDialogProps {
  readonly ids: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Gives a tag to sessions, or takes it away. */
export function TagDialog({ ids, onClose, onDone }: TagDialogProps) {
  const [tag, setTag] = useState('');
  const [said, setSaid] = useState<string | undefined>();
  const change = async (body: { readonly addTags?: readonly string[]; readonly removeTags?: readonly string[] }) => {
    try {
      for (const id of ids) await call('PATCH /api/sessions/{id}', { id, body });
      changes.value += 1;
      onDone();
    } catch (error) {
      setSaid(asFailure(error).message);
    }
  };
  const name = tag.trim();
  return (
    <Dialog title={`Tag ${plural(ids.length, 'session')}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void change({ addTags: [name] });
        }}
      >
        <label>
          Tag <input value={tag} maxLength={100} onInput={(event) => setTag(event.currentTarget.value)} />
        </label>
        {said !== undefined && (
          <p role="alert" class="red">
            {said}
          </p>
        )}
        <p class="buttons">
          <button class="primary" disabled={name === ''}>
            Add
          </button>
          <button type="button" disabled={name === ''} onClick={() => void change({ removeTags: [name] })}>
            Take away
          </button>
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
