import { useState } from 'preact/hooks';
import { formatBytes, formatCount, plural } from '../../core/format.ts';
import { ItemName } from '../parts/titles.tsx';
import type { Decision, PlanGroup } from './plan-groups.ts';

/** So many rows more at a time: a plan may name 100 000. */
const STEP = 50;

interface GroupProps {
  readonly group: PlanGroup;
  /** The ids of what is to stay although the plan lets it go. */
  readonly left: ReadonlySet<string>;
  readonly onLeave: (ids: readonly string[], stays: boolean) => void;
}

/** Everything that goes for one reason, each with a tick that can be taken away. */
export function PlanGroupRows({ group, left, onLeave }: GroupProps) {
  const [shown, setShown] = useState(STEP);
  const { action, why, forGood, decisions, sizeBytes } = group;
  const ids = decisions.map(({ item }) => item.id);
  const stay = ids.filter((id) => left.has(id)).length;
  const named = `${action}${forGood ? ' FOR GOOD' : ''}, ${why}`;
  return (
    <div class={forGood ? 'group for-good' : 'group'}>
      <Tick
        label={`All of: ${named}`}
        ticked={stay < ids.length}
        partly={stay > 0 && stay < ids.length}
        onTick={(ticked) => onLeave(ids, !ticked)}
      />
      <details open={decisions.length <= STEP}>
        <summary>
          <span class="what">{named}</span>
          <span class="amount">
            {plural(decisions.length, 'item')}, {formatBytes(sizeBytes)}
          </span>
        </summary>
        <ul>
          {decisions.slice(0, shown).map((decision) => (
            <Row key={`${decision.item.kind} ${decision.item.id}`} decision={decision} left={left} onLeave={onLeave} />
          ))}
        </ul>
        {decisions.length > shown && (
          <button type="button" class="plain" onClick={() => setShown(shown + STEP * 4)}>
            … and {formatCount(decisions.length - shown)} more
          </button>
        )}
      </details>
    </div>
  );
}

function Row({ decision, left, onLeave }: Pick<GroupProps, 'left' | 'onLeave'> & { readonly decision: Decision }) {
  const { item, sizeBytes } = decision;
  return (
    <li class={left.has(item.id) ? 'left' : undefined}>
      <Tick label={`Let ${item.id} go`} ticked={!left.has(item.id)} onTick={(ticked) => onLeave([item.id], !ticked)} />
      <ItemName item={item} />
      <span class="amount">{formatBytes(sizeBytes)}</span>
    </li>
  );
}

interface TickProps {
  readonly label: string;
  readonly ticked: boolean;
  readonly partly?: boolean;
  readonly onTick: (ticked: boolean) => void;
}

export function Tick({ label, ticked, partly = false, onTick }: TickProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={ticked}
      indeterminate={partly}
      onChange={(event) => onTick(event.currentTarget.checked)}
    />
  );
}
