import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { DEFAULT_CONFIG } from './config-defaults.ts';
import { configJsonSchema, type JsonSchema, namedKeys } from './config-json-schema.ts';
import { configSettings } from './config-settings.ts';
import { type ParsedConfig, type PassOver, parseConfig } from './parse-config.ts';

describe('parseConfig, for jobs', () => {
  const file = (job: string) => parseFile(`cron: { jobs: { report: ${job} } }`);

  it('fills in everything but the schedule and the command', () => {
    expect(file('{ schedule: "*/15 * * * *", command: [agent, run], deliver: [{ file: /out.txt }] }')).toMatchObject({
      status: 'ok',
      config: {
        cron: {
          jobs: {
            report: {
              time_zone: 'UTC',
              missed: 'run-once',
              overlap: 'skip',
              max_minutes: 60,
              deliver: [{ file: '/out.txt' }],
            },
          },
        },
      },
    });
  });

  it.each([
    ['{ command: [agent] }', 'cron.jobs.report.schedule'],
    ['{ schedule: "* * * * *" }', 'cron.jobs.report.command'],
    ['{ schedule: "* * * * *", command: agent }', 'cron.jobs.report.command'],
    [
      '{ schedule: "* * * * *", command: [agent], deliver: [{ webhook: "ftp://x" }] }',
      'cron.jobs.report.deliver.0.webhook',
    ],
    ['{ schedule: "* * * * *", command: [] }', 'cron.jobs.report.command'],
    ['{ schedule: "* * * * *", command: [agent], deliver: [{}] }', 'cron.jobs.report.deliver.0'],
    ['{ schedule: "* * * * *", command: [agent], time_zone: Mars/Olympus }', 'cron.jobs.report.time_zone'],
    ['{ schedule: "61 * * * *", command: [agent] }', 'cron.jobs.report.schedule'],
    ['{ schedule: every morning, command: [agent] }', 'cron.jobs.report.schedule'],
    ['{ schedule: "0 0 30 2 *", command: [agent] }', 'cron.jobs.report.schedule'],
    ['{ schedule: "2026-01-15T12:00:00", command: [agent] }', 'cron.jobs.report.schedule'],
  ])('names what is wrong in %s', (job, key) => {
    const parsed = file(job);
    expect(parsed.status === 'invalid' && parsed.issues.map((issue) => issue.key)).toEqual([key]);
  });

  it.each(['"*/15 * * * *"', '"30 0 7 * * 1-5"', '"@daily"', '"0 7 29 2 *"'])('takes the schedule %s', (schedule) => {
    expect(file(`{ schedule: ${schedule}, command: [agent] }`)).toMatchObject({ status: 'ok' });
  });

  it('names a job that cannot be called that', () => {
    const parsed = parseFile('cron: { jobs: { "../up": { schedule: "@daily", command: [agent] } } }');
    expect(parsed).toMatchObject({
      status: 'invalid',
      issues: [{ key: 'cron.jobs.../up', message: expect.stringContaining('cannot be the name of a job') as string }],
    });
  });
});

describe('parseConfig, for any configuration', () => {
  it('accepts every partial configuration of valid values and leaves all other keys at their defaults', () => {
    fc.assert(
      fc.property(arbitrarySection(SCHEMA), (data) => {
        const parsed = parseFile(JSON.stringify(data));
        expect(parsed).toMatchObject({ status: 'ok' });
        expect(parsed.status === 'ok' && parsed.config).toStrictEqual(overlay(asJson(DEFAULT_CONFIG), data));
      }),
    );
  });

  it('makes the same of a value whether the file, a variable or a flag gives it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LEAVES).chain(arbitraryLeaf), ({ path, value }) => {
        const text = JSON.stringify(value);
        const inFile = parseFile(JSON.stringify(nest(path, value)));
        const variable = `COPPICE_${path.join('__').toUpperCase()}`;
        expect(configOf(parseSettings({ [variable]: text }, []))).toStrictEqual(configOf(inFile));
        expect(configOf(parseSettings({}, [{ key: path.join('.'), value: text }]))).toStrictEqual(configOf(inFile));
      }),
    );
  });

  it('rejects 0, negative, empty and endless values of every numeric key, whatever stands beside them', () => {
    const bad = fc.oneof(
      fc.constantFrom('0', '-0.0', '-1', '.nan', '.inf', '-.inf', 'null', '""', '0d', '90 days', 'true', '[]', '{}'),
      fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }).map((number) => number.toFixed(3)),
      fc.double({ min: 1e-9, max: 0.009, noNaN: true }).map((number) => number.toFixed(12)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...NUMERIC_PATHS), bad, arbitrarySection(SCHEMA), (path, text, data) => {
        const flag = { key: path.join('.'), value: text };
        const parsed = parseConfig({
          file: 'config.yaml',
          bytes: encode(JSON.stringify(data)),
          settings: configSettings({}, [flag]),
        });
        expect(parsed).not.toHaveProperty('config');
        expect(parsed).toMatchObject({
          status: 'invalid',
          issues: [{ key: path.join('.'), where: `--set ${flag.key}` }],
        });
      }),
      { numRuns: 400 },
    );
  });

  it('rejects every key it does not know, in any section', () => {
    const unknown = fc.string({ minLength: 1 }).filter((name) => !LEAVES.some(({ path }) => path.includes(name)));
    const section = fc.constantFrom(...new Set(LEAVES.map(({ path }) => JSON.stringify(path.slice(0, -1)))));
    fc.assert(
      fc.property(section, unknown, (json, name) => {
        const path = [...(JSON.parse(json) as string[]), name];
        const parsed = parseFile(JSON.stringify(nest(path, 1)));
        expect(parsed).toMatchObject({ status: 'invalid', issues: [{ key: path.join('.') }] });
      }),
    );
  });

  it('never throws and never yields a configuration from text that is not one', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:- \n\t[]{}&*!|>\'"#%@,?0~') }), (text) => {
        const parsed = parseFile(text);
        if (parsed.status === 'ok') expect(parsed.config).toStrictEqual(DEFAULT_CONFIG);
        else expect(parsed.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});

const SCHEMA = withoutJobs(configJsonSchema());

/** A job cannot leave everything out, so what holds for any part of the rest does not hold for jobs. */
function withoutJobs(schema: JsonSchema): JsonSchema {
  const sections = namedKeys(schema).map(([name, section]) =>
    name === 'cron' ? [name, { ...section, properties: without(section, 'jobs') }] : [name, section],
  );
  return { ...schema, properties: Object.fromEntries(sections) as NonNullable<JsonSchema['properties']> };
}

function without(section: JsonSchema, key: string): NonNullable<JsonSchema['properties']> {
  return Object.fromEntries(namedKeys(section).filter(([name]) => name !== key));
}

const SOURCES = ['cron', 'telegram', 'api'];

interface Leaf {
  readonly path: readonly string[];
  readonly node: JsonSchema;
}

const LEAVES = leavesOf(SCHEMA, []);
// An hour and a price are the only values for which 0 is like any other: they are no limits.
const NUMERIC_PATHS = LEAVES.filter(({ node }) => numberIn(node))
  .map(({ path }) => path)
  .filter((path) => path.at(-1) !== 'at_hour' && path[0] !== 'prices');

function leavesOf(node: JsonSchema, path: readonly string[]): Leaf[] {
  const children = new Map(namedKeys(node));
  if (typeof node.additionalProperties === 'object') {
    for (const source of SOURCES) children.set(source, children.get(source) ?? node.additionalProperties);
  }
  if (children.size === 0) return [{ path, node }];
  return [...children].flatMap(([name, child]) => leavesOf(child, [...path, name]));
}

function numberIn(node: JsonSchema): JsonSchema | undefined {
  return [node, ...(node.anyOf ?? [])].find(({ type }) => type === 'number' || type === 'integer');
}

function arbitraryLeaf({ path, node }: Leaf): fc.Arbitrary<{ path: readonly string[]; value: JsonValue }> {
  return arbitraryValue(node).map((value) => ({ path, value }));
}

function arbitraryValue(node: JsonSchema): fc.Arbitrary<JsonValue> {
  if (namedKeys(node).length > 0 || typeof node.additionalProperties === 'object') return arbitrarySection(node);
  const number = numberIn(node);
  if (number !== undefined) {
    const { minimum: min = Number.NaN, maximum: max = Number.NaN } = number;
    const whole = fc.integer({ min: Math.ceil(min), max });
    const value = number.type === 'integer' ? whole : fc.oneof(whole, fc.double({ min, max, noNaN: true }));
    return node.anyOf === undefined ? value : fc.oneof(value, fc.constant('never'));
  }
  if (node.enum !== undefined) return fc.constantFrom(...node.enum);
  if (node.type === 'boolean') return fc.boolean();
  if (node.type === 'array') return arbitraryList(itemsOf(node));
  // Paths, addresses and names have tests of their own.
  if (typeof node.default === 'string' && node.default !== 'UTC') return fc.constant(node.default);
  return fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata');
}

function itemsOf({ items }: JsonSchema): JsonSchema {
  return typeof items === 'object' && !Array.isArray(items) ? items : {};
}

function arbitraryList(items: JsonSchema): fc.Arbitrary<JsonValue> {
  if (numberIn(items) !== undefined) return fc.array(arbitraryValue(items));
  // Targets of deliveries have tests of their own.
  return items.type === 'string' ? fc.array(fc.string({ minLength: 1 })) : fc.constant([{ command: ['notify'] }]);
}

function arbitrarySection(node: JsonSchema): fc.Arbitrary<JsonObject> {
  const keys = Object.fromEntries(namedKeys(node).map(([name, child]) => [name, arbitraryValue(child)]));
  if (typeof node.additionalProperties === 'object') {
    for (const source of SOURCES) keys[source] ??= arbitraryValue(node.additionalProperties);
  }
  return fc.record(keys, { requiredKeys: [] }).map(asJson);
}

function overlay(below: JsonObject, above: JsonObject): JsonObject {
  const result = new Map(Object.entries(below));
  for (const [name, value] of Object.entries(above)) {
    const beneath = result.get(name);
    result.set(name, isJsonObject(value) ? overlay(isJsonObject(beneath) ? beneath : {}, value) : value);
  }
  return Object.fromEntries(result);
}

function nest(path: readonly string[], value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
}

/** The same data with ordinary prototypes, as it comes out of a file. */
function asJson(data: object): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(data));
  if (!isJsonObject(copy)) throw new TypeError('not an object');
  return copy;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe('parseConfig, for somebody who only looks', () => {
  const UNKNOWN = ['retension', 'x', '__proto__', 'constructor'];
  const sections = [...new Set(LEAVES.map(({ path }) => JSON.stringify(path.slice(0, -1))))].filter(
    (json) => (JSON.parse(json) as string[]).length === 1,
  );

  it('gives what the file says without the keys that nobody knows, and names each', () => {
    fc.assert(
      fc.property(
        arbitrarySection(SCHEMA),
        fc.subarray(sections),
        fc.constantFrom(...UNKNOWN),
        (data, places, name) => {
          const paths = places.map((json) => [...(JSON.parse(json) as string[]), name]);
          const mixed = paths.reduce((below, path) => put(below, path, 1), data);
          const parsed = parseFile(JSON.stringify(mixed), 'unknown-keys');
          expect(configOf(parsed)).toEqual(configOf(parseFile(JSON.stringify(data))));
          expect(parsed.issues.map(({ key }) => key).toSorted()).toEqual(
            paths.map((path) => path.join('.')).toSorted(),
          );
          if (paths.length > 0) expect(parseFile(JSON.stringify(mixed)).status).toBe('invalid');
        },
      ),
    );
  });

  it('does not pass over a wrong value beside an unknown key, unless every mistake is passed over', () => {
    const text = 'sessions: { retension: 3, trivial_days: 0, keep_last: 2, keep_tags: [a, 1] }';
    expect(parseFile(text, 'unknown-keys')).toMatchObject({ status: 'invalid' });
    expect(parseFile(text, 'unknown-keys').issues).toHaveLength(3);
    expect(parseFile(text, 'mistakes')).toMatchObject({
      status: 'ok',
      config: { sessions: { trivial_days: 7, keep_last: 2, keep_tags: ['keep'] } },
    });
  });

  it.each(['sessions: [3', 'just a word', 'cron: { jobs: { report: { command: [agent] } } }', '\tsessions:'])(
    'reads nothing, and stops only who needs the rules, where the file says %j',
    (text) => {
      expect(parseFile(text, 'unknown-keys').status).toBe('invalid');
      const passed = parseFile(text, 'mistakes');
      expect(configOf(passed)).toEqual(DEFAULT_CONFIG);
      expect(passed.issues.length).toBeGreaterThan(0);
    },
  );

  it('never passes over what was typed with the command, and passes over a variable that is no setting', () => {
    const parse = (...given: Parameters<typeof configSettings>) =>
      parseConfig({
        file: 'config.yaml',
        bytes: undefined,
        settings: configSettings(...given),
        passOver: 'mistakes',
      });
    expect(parse({}, [{ key: 'sessions.retension', value: '3' }]).status).toBe('invalid');
    expect(parse({ COPPICE_SESSIONS__RETENSION: '3' }, []).status).toBe('ok');
  });

  /** The data with one more key; the section may not be there yet. */
  function put(data: JsonObject, [name = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
    const inner = Object.hasOwn(data, name) ? data[name] : undefined;
    const entry = rest.length === 0 ? value : put(isJsonObject(inner) ? inner : {}, rest, value);
    return Object.fromEntries([...Object.entries(data).filter(([key]) => key !== name), [name, entry]]);
  }
});

function parseFile(text: string, passOver?: PassOver): ParsedConfig {
  return parseConfig({ file: 'config.yaml', bytes: encode(text), settings: [], passOver });
}

function parseSettings(...settings: Parameters<typeof configSettings>): ParsedConfig {
  return parseConfig({ file: 'config.yaml', bytes: undefined, settings: configSettings(...settings) });
}

function configOf(parsed: ParsedConfig): unknown {
  return parsed.status === 'ok' ? parsed.config : parsed;
}
