import type { Answer } from '../../client/api.ts';
import { formatBytes, formatCount } from '../../core/format.ts';
import { CLASS_WORDS } from '../../core/retention/words.ts';
import { Bar } from './bar.tsx';

type Status = Answer<'GET /api/status'>;

/** What the home takes, by what it is, and all of it beside its cap. */
export function SizeBars({ status: { classes, rest, disk } }: { readonly status: Status }) {
  const { usedBytes, maxBytes, freeBytes } = disk;
  const parts = [...classes, ...rest.map((one) => ({ ...one, items: undefined }))].toSorted(
    (a, b) => b.sizeBytes - a.sizeBytes,
  );
  const used = `${formatBytes(usedBytes)}${maxBytes === undefined ? '' : ` of ${formatBytes(maxBytes)}`}`;
  return (
    <section>
      <h2>On the disk</h2>
      <p class="big">{used}</p>
      {maxBytes === undefined ? (
        <p class="quiet">No cap is set (disk.max_mb).</p>
      ) : (
        <Bar part={usedBytes} of={maxBytes} label={`${used} used`} tone={usedBytes > maxBytes * 0.9 ? 'bad' : 'good'} />
      )}
      <p class="quiet">{formatBytes(freeBytes)} are free on the disk.</p>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Items</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ name, items, sizeBytes }) => (
            <tr key={name}>
              <th scope="row">
                {CLASS_WORDS[name]}
                <Bar part={sizeBytes} of={usedBytes} label={formatBytes(sizeBytes)} />
              </th>
              <td>{items === undefined ? '' : formatCount(items)}</td>
              <td>{formatBytes(sizeBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
