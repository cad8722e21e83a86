import { useState } from 'preact/hooks';
import { formatBytes, formatCount, plural } from '../../core/format.ts';
import { shortfallSentence } from '../../core/retention/shortfall-sentence.ts';
import { type ApiFailure, asFailure } from '../api/api-failure.ts';
import { call } from '../api/call.ts';
import { Failed } from '../parts/states.tsx';
import { PlanGroupRows } from './plan-group.tsx';
import { type Decision, groupsOf, isForGood, type Plan, sizeOf } from './plan-groups.ts';
import { show } from './receipt.tsx';

interface ReviewProps {
  readonly plan: Plan;
  /** Called when it was carried out. */
  readonly onDone: () => void;
}

/** A plan to look at: what would go and why, what can be taken out of it, and the button that carries out the rest. */
export function PlanReview({ plan, onDone }: ReviewProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [forGood, setForGood] = useState(false);
  const going = plan.decisions.filter(({ action }) => action !== 'keep');
  const chosen = going.filter(({ item }) => !left.has(item.id));
  const lost = chosen.filter(isForGood);
  const onLeave = (ids: readonly string[], stays: boolean) =>
    setLeft((before) =>
      stays ? new Set([...before, ...ids]) : new Set([...before].filter((id) => !ids.includes(id))),
    );
  return (
    <div class="plan">
      <PlanWords plan={plan} going={going} />
      {groupsOf(going).map((group) => (
        <PlanGroupRows key={group.key} group={group} left={left} onLeave={onLeave} />
      ))}
      <Stays plan={plan} />
      {lost.length > 0 && <ForGood lost={lost} onAgreed={setForGood} />}
      {going.length > 0 && (
        <CarryOut plan={plan} chosen={chosen} left={[...left]} forGood={forGood && lost.length > 0} onDone={onDone} />
      )}
    </div>
  );
}

function PlanWords({
  plan: { notes, shortfalls, totals },
  going,
}: {
  readonly plan: Plan;
  readonly going: readonly Decision[];
}) {
  const stays = `${plural(totals.keep.items, 'item')} ${totals.keep.items === 1 ? 'stays' : 'stay'} (${formatBytes(totals.keep.sizeBytes)}).`;
  return (
    <>
      <p class="big">
        {going.length === 0
          ? 'Nothing would go.'
          : `${plural(going.length, 'item')} would go (${formatBytes(totals.go.sizeBytes)}).`}
      </p>
      <p class="quiet">{stays}</p>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {shortfalls.map((shortfall) => (
        <p key={shortfall.source ?? shortfall.of} class="note red">
          {shortfallSentence(shortfall as Parameters<typeof shortfallSentence>[0])}
        </p>
      ))}
    </>
  );
}

function Stays({ plan }: { readonly plan: Plan }) {
  const groups = groupsOf(plan.decisions.filter(({ action }) => action === 'keep'));
  if (groups.length === 0) return null;
  return (
    <details class="group">
      <summary>
        <span class="what">What stays, and why</span>
      </summary>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Why</th>
            <th scope="col">Items</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ key, why, decisions, sizeBytes }) => (
            <tr key={key}>
              <th scope="row">{why}</th>
              <td>{formatCount(decisions.length)}</td>
              <td>{formatBytes(sizeBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** What nothing brings back is asked for apart, and not by one press that slips. */
function ForGood({
  lost,
  onAgreed,
}: {
  readonly lost: readonly Decision[];
  readonly onAgreed: (agreed: boolean) => void;
}) {
  const number = String(lost.length);
  return (
    <fieldset class="for-good">
      <legend>FOR GOOD</legend>
      <p>
        {plural(lost.length, 'item')} ({formatBytes(sizeOf(lost))}) would go FOR GOOD: nothing brings{' '}
        {lost.length === 1 ? 'it' : 'them'} back. Without your word {lost.length === 1 ? 'it goes' : 'they go'} into the
        trash, and what is in the trash stays there.
      </p>
      <label>
        To remove {lost.length === 1 ? 'it' : 'them'} for good, type the number {number}:{' '}
        <input
          inputMode="numeric"
          autocomplete="off"
          size={8}
          onInput={(event) => onAgreed(event.currentTarget.value.trim() === number)}
        />
      </label>
    </fieldset>
  );
}

interface CarryOutProps {
  readonly plan: Plan;
  readonly chosen: readonly Decision[];
  readonly left: readonly string[];
  readonly forGood: boolean;
  readonly onDone: () => void;
}

function CarryOut({ plan, chosen, left, forGood, onDone }: CarryOutProps) {
  const [done, setDone] = useState<number | undefined>();
  const [failure, setFailure] = useState<ApiFailure | undefined>();
  const carryOut = async () => {
    setDone(0);
    setFailure(undefined);
    try {
      const { id } =
        left.length === 0 ? plan : await call('POST /api/plans/{id}/narrow', { id: plan.id, body: { ids: left } });
      let count = 0;
      const onStep = () => setDone((count += 1));
      show(await call('POST /api/plans/{id}/apply', { id, query: { forGood }, onStep }));
      onDone();
    } catch (error) {
      setFailure(asFailure(error));
    }
    setDone(undefined);
  };
  const size = formatBytes(sizeOf(chosen));
  if (plan.onlyShown === true) return <p class="note">This plan is only to look at.</p>;
  return (
    <div class="carry-out">
      {failure !== undefined && <Failed failure={failure} />}
      {done === undefined ? (
        <button
          type="button"
          class={forGood ? 'danger' : 'primary'}
          disabled={chosen.length === 0}
          onClick={() => void carryOut()}
        >
          {wordsFor(chosen, forGood)} ({size})
        </button>
      ) : (
        <p role="status">
          <progress max={chosen.length} value={done} aria-label="How far it is" /> {formatCount(done)} of{' '}
          {formatCount(chosen.length)}
        </p>
      )}
    </div>
  );
}

function wordsFor(chosen: readonly Decision[], forGood: boolean): string {
  const items = plural(chosen.length, 'item');
  if (chosen.every(({ action }) => action === 'archive')) return `Archive ${items}`;
  return forGood ? `Remove ${items}, some FOR GOOD` : `Remove ${items}`;
}
