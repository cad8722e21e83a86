import { describe, expect, it } from 'vitest';
import { encodeMetrics, Metrics } from './metrics.ts';

describe('encodeMetrics', () => {
  it('writes help, type and one line for each set of labels', () => {
    const values = [{ labels: { method: 'GET', status: '200' }, value: 3 }, { value: 0.25 }];
    expect(encodeMetrics([{ name: 'x_total', help: 'How many.', type: 'counter', values }])).toBe(
      '# HELP x_total How many.\n# TYPE x_total counter\nx_total{method="GET",status="200"} 3\nx_total 0.25\n',
    );
  });

  it('escapes what would end a label or a line, and names what is no number', () => {
    const values = [
      { labels: { key: 'a"b\\c\nd' }, value: Number.NaN },
      { value: Number.POSITIVE_INFINITY },
      { value: Number.NEGATIVE_INFINITY },
    ];
    expect(encodeMetrics([{ name: 'x', help: 'a\\b\nc', type: 'gauge', values }])).toBe(
      '# HELP x a\\\\b\\nc\n# TYPE x gauge\nx{key="a\\"b\\\\c\\nd"} NaN\nx +Inf\nx -Inf\n',
    );
  });

  it('counts answers by method and status', () => {
    const metrics = new Metrics();
    for (const status of [200, 200, 404]) metrics.answered('GET', status);
    expect(encodeMetrics(metrics.list())).toContain('coppice_http_requests_total{method="GET",status="200"} 2\n');
  });
});
