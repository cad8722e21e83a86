import type { Answer } from '../../client/api.ts';
import { formatBytes, formatCount } from '../../core/format.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Bar } from '../parts/bar.tsx';
import { Link } from '../parts/link.tsx';
import { SizeBars } from '../parts/size-bars.tsx';
import { WhenReady } from '../parts/states.tsx';
import { PlanReview } from '../plan/plan-review.tsx';
import { changes } from '../plan/receipt.tsx';

/** Where the disk went, and what the rules would let go now. */
export function StoragePage() {
  return (
    <>
      <h1>Storage</h1>
      <div class="columns" key={changes.value}>
        <section aria-labelledby="plan">
          <h2 id="plan">What can go by the rules</h2>
          <ByTheRules />
        </section>
        <aside aria-label="Where the disk went">
          <Taken />
          <BySource />
        </aside>
      </div>
    </>
  );
}

function ByTheRules() {
  const { asked, again } = useAnswer('POST /api/plans', { body: {} });
  return (
    <WhenReady asked={asked} again={again} what="what can go">
      {(plan) => <PlanReview key={plan.id} plan={plan} onDone={again} />}
    </WhenReady>
  );
}

function Taken() {
  const { asked, again } = useAnswer('GET /api/status', {});
  return (
    <WhenReady asked={asked} again={again} what="the home">
      {(status) => <SizeBars status={status} />}
    </WhenReady>
  );
}

type Stats = Answer<'GET /api/stats'>;

function BySource() {
  const { asked, again } = useAnswer('GET /api/stats', {});
  return (
    <WhenReady asked={asked} again={again} what="sessions">
      {(stats) => (
        <>
          <Amounts
            title="Sessions by source"
            total={stats.total.sizeBytes}
            rows={stats.bySource.map((one) => ({
              ...one,
              name: one.source,
              filter: { source: one.source, sort: 'size' },
            }))}
          />
          <Amounts title="Sessions by age" total={stats.total.sizeBytes} rows={stats.byAge.map(agedRow)} />
        </>
      )}
    </WhenReady>
  );
}

interface AmountRow {
  readonly name: string;
  readonly sessions: number;
  readonly sizeBytes: number;
  readonly filter?: Readonly<Record<string, string>>;
}

const DAY_HOURS = 24;

function named(hours: number): string {
  return hours < DAY_HOURS * 2 ? `${hours} h` : `${Math.round(hours / DAY_HOURS)} days`;
}

function agedRow(one: Stats['byAge'][number], at: number, all: Stats['byAge']): AmountRow {
  const { maxHours } = one;
  const before = all[at - 1]?.maxHours ?? 0;
  return { ...one, name: maxHours === undefined ? `more than ${named(before)}` : `up to ${named(maxHours)}` };
}

function Amounts({
  title,
  total,
  rows,
}: {
  readonly title: string;
  readonly total: number;
  readonly rows: readonly AmountRow[];
}) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Which</th>
            <th scope="col">Sessions</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, sessions, sizeBytes, filter }) => (
            <tr key={name}>
              <th scope="row">
                {filter === undefined ? (
                  name
                ) : (
                  <Link to="/sessions" query={filter}>
                    {name}
                  </Link>
                )}
                <Bar part={sizeBytes} of={total} label={formatBytes(sizeBytes)} />
              </th>
              <td>{formatCount(sessions)}</td>
              <td>{formatBytes(sizeBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
