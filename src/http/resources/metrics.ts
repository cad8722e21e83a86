/** One figure, for as many sets of labels as it is known for. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

/** What the server counts while it runs. */
export class Metrics {
  readonly #answers = new Map<string, Map<number, number>>();
  inFlight = 0;
  refused = 0;

  answered(method: string, status: number): void {
    let byStatus = this.#answers.get(method);
    if (byStatus === undefined) this.#answers.set(method, (byStatus = new Map()));
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }

  list(): readonly Metric[] {
    const answers = [...this.#answers].flatMap(([method, byStatus]) =>
      Array.from(byStatus, ([status, value]) => ({ labels: { method, status: String(status) }, value })),
    );
    return [
      { name: 'coppice_http_requests_total', help: 'Requests answered.', type: 'counter', values: answers },
      gauge('coppice_http_requests_in_flight', 'Requests being answered.', this.inFlight),
      { ...gauge('coppice_http_refused_total', 'Requests turned away at the door.', this.refused), type: 'counter' },
    ];
  }
}

export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] };
}

/** The text that Prometheus reads. */
export function encodeMetrics(metrics: readonly Metric[]): string {
  return metrics.map(encodeMetric).join('');
}

function encodeMetric({ name, help, type, values }: Metric): string {
  const head = `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
  return head + values.map(({ labels, value }) => `${name}${encodeLabels(labels)} ${encodeValue(value)}\n`).join('');
}

function encodeLabels(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function encodeValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
