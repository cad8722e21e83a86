import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactHeaders, redactJson, redactText, redactUrl } from './redact.ts';

const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA75hunterQ2/PLANTED+\nabcd1234==\n-----END RSA PRIVATE KEY-----`;

/** Each text, and the part of it that must be gone. */
const SECRETS: readonly (readonly [text: string, secret: string])[] = [
  ['key sk-ant-api03-AbCdEf0123456789_xyz-PLANTED here', 'PLANTED'],
  ['sk-proj-abcdefghijklmnopqrstuvwx1234', 'abcdefgh'],
  ['sk-abcdefghijklmnopqrstuvwxyzabcdefghijkl', 'abcdefgh'],
  ['ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ', 'abcdefgh'],
  ['gho_16C7e42F292c6912E7710c838347Ae178B4a', '16C7e42F'],
  ['ghs_16C7e42F292c6912E7710c838347Ae178B4a', '16C7e42F'],
  ['github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz', '11ABCDEFG'],
  ['glpat-abcDEF123456_7890xyz', 'abcDEF'],
  ['id AKIAIOSFODNN7EXAMPLE.', 'AKIAIOSFODNN7EXAMPLE'],
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'wJalr'],
  ['AIzaSyA-1234567890abcdefghijklmnopqrstu', 'SyA-123'],
  ['xoxb-123456789012-1234567890123-abcdefghij', '123456789012'],
  ['npm_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdefgh'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N', 'dozjgNry'],
  ['Authorization: Bearer abc.DEF-123', 'abc.DEF'],
  ['curl -H "Authorization: Bearer mF_9.B5f-4.1JqM"', 'mF_9'],
  ['sent bearer 0123456789abcdef', '0123456789'],
  ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  [PEM, 'PLANTED'],
  [JSON.stringify({ pem: PEM }), 'PLANTED'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAPLANTED', 'PLANTED'],
  ['postgres://bob:hunter2@db.example/x', 'hunter2'],
  ['https://bob:p@ss:w0rd@example.org/', 'ss:w0rd'],
  ['API_KEY=hunter2', 'hunter2'],
  ['export STRIPE_KEY=plantedvalue', 'plantedvalue'],
  ['DB_PASSWORD=swordfish docker run', 'swordfish'],
  ['{"password": "correct horse \\"battery\\" staple"}', 'battery'],
  ["{'client_secret': 'plain words'}", 'plain words'],
  [JSON.stringify(JSON.stringify({ apiKey: 'quoted-twice' })), 'quoted-twice'],
  ['password: swordfish', 'swordfish'],
  ['  db.token: abc123def', 'abc123def'],
  ['coppice --token s3cr3t-value run', 's3cr3t'],
  ['tool --api-key=whatever', 'whatever'],
  ['tool --password "Swordfish"', 'Swordfish'],
  ['GET /v1?access_token=plainword&x=1', 'plainword'],
  ["-H 'Cookie: sid=abcdef; theme=dark'", 'abcdef'],
];

const ORDINARY = [
  'The token: a small unit of text that a model reads.',
  'max_tokens: 128000, inputTokens: 5, tokens=12',
  'const token = getToken();',
  'login(password=read_password())',
  'interface Login { password: string; token?: string }',
  'Pass the --token flag, or --password to be asked.',
  'Basic training and bearer bonds; Bearer authentication.',
  'API_KEY=$API_KEY and TOKEN=${TOKEN} and --token <your-token>',
  'author: Bob, keyboard=qwerty, monkey: 5, primary_key = "id"',
  'A cookie: sweet. Authorization: required.',
  'https://example.org:8080/a?b=c#d mailto:bob@example.org',
  'sk-learn, ask-me-anything, task-12345678901234567890, npm_config_registry_url',
  'The line -----BEGIN PRIVATE KEY----- opens a key file.',
  '550e8400-e29b-41d4-a716-446655440000 deadbeefdeadbeefdeadbeefdeadbeefdeadbeef',
  'Grüße 日本語 🌱 \0 \ud800',
  '',
];

describe('redactText', () => {
  it.each(SECRETS)('hides the secret in %j', (text, secret) => {
    expect(text).toContain(secret);
    expect(redactText(text)).not.toContain(secret);
    expect(redactText(text)).toContain('[redacted]');
  });

  it.each(SECRETS)('finds the secret of %j in the middle of other text', (text, secret) => {
    expect(redactText(`Before it.\n${text}\nAfter it.`)).not.toContain(secret);
  });

  it.each(ORDINARY)('leaves %j alone', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('keeps what surrounds a secret', () => {
    expect(redactText('{"user": "bob", "password": "x y", "n": 1}')).toBe(
      '{"user": "bob", "password": "[redacted]", "n": 1}',
    );
    expect(redactText('postgres://bob:hunter2@db/x')).toBe('postgres://bob:[redacted]@db/x');
    expect(redactText('/v1?token=abc&x=1')).toBe('/v1?token=[redacted]&x=1');
  });

  it('changes nothing when it is applied again', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
        const once = redactText(fragments.join(''));
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('takes time in proportion to hostile text', () => {
    const seeds = [...SECRETS.map(([text]) => text), ...HOSTILE];
    for (const seed of seeds) {
      const long = seed.repeat(Math.ceil(400_000 / seed.length));
      // A quadratic pattern takes minutes here and meets the time limit of the test.
      expect(redactText(long)).toBeTypeOf('string');
    }
  });

  it('survives one run of tens of millions of characters', () => {
    for (const start of [
      'sk-1',
      'password=',
      '"token": "',
      'Bearer 1',
      '://a:',
      '-----BEGIN PRIVATE KEY-----\n',
      'eyJ',
    ]) {
      expect(redactText(start + 'a'.repeat(18_000_000))).toBeTypeOf('string');
    }
  });
});

describe('redactHeaders', () => {
  it('hides values by name, in any case, and secrets in the other values', () => {
    const headers = {
      Authorization: 'x',
      'PROXY-Authorization': 'x',
      'Set-Cookie': ['a=b', 'c=d'],
      'x-api-key': 'x',
      'X-Goog-Api-Key': 'x',
      'x-my-session': 'x',
      accept: 'text/html',
      referer: 'https://a/?access_token=planted',
      gone: undefined,
    };
    expect(redactHeaders(headers)).toEqual({
      Authorization: '[redacted]',
      'PROXY-Authorization': '[redacted]',
      'Set-Cookie': ['[redacted]', '[redacted]'],
      'x-api-key': '[redacted]',
      'X-Goog-Api-Key': '[redacted]',
      'x-my-session': '[redacted]',
      accept: 'text/html',
      referer: 'https://a/?access_token=[redacted]',
      gone: undefined,
    });
  });
});

describe('redactUrl', () => {
  it.each([
    ['https://a.example/p?key=abc&q=cats', 'https://a.example/p?key=[redacted]&q=cats'],
    ['https://a.example/p?X-Amz-Signature=abc&x=1', 'https://a.example/p?X-Amz-Signature=[redacted]&x=1'],
    ['https://a.example/cb?code=abc#id_token=def', 'https://a.example/cb?code=[redacted]#id_token=[redacted]'],
    ['https://bob:pw@a.example/', 'https://bob:[redacted]@a.example/'],
    ['https://a.example/p?q=cats&page=2', 'https://a.example/p?q=cats&page=2'],
  ])('turns %s into %s', (url, expected) => {
    expect(redactUrl(url)).toBe(expected);
  });
});

describe('redactJson', () => {
  it('hides by key name and by text, however the key is spelled', () => {
    const value = {
      apiKey: 'a',
      'client-secret': 'b',
      DB_PASSWORD: 5,
      credentials: { user: 'bob', list: ['x', true, null] },
      max_tokens: 12,
      author: 'Ann',
      key: 'Enter',
      note: ['run with API_KEY=planted'],
      'sk-abcdefghijklmnop1234': 1,
    };
    expect(redactJson(value)).toEqual({
      apiKey: '[redacted]',
      'client-secret': '[redacted]',
      DB_PASSWORD: '[redacted]',
      credentials: { user: '[redacted]', list: ['[redacted]', true, null] },
      max_tokens: 12,
      author: 'Ann',
      key: 'Enter',
      note: ['run with API_KEY=[redacted]'],
      '[redacted]': 1,
    });
  });

  it('keeps a key named __proto__ as data', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}}');
    expect(JSON.stringify(redactJson(value))).toBe('{"__proto__":{"a":1}}');
  });

  it('hides what is nested deeper than the stack could go', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}"API_KEY=planted"${']'.repeat(100_000)}`);
    expect(JSON.stringify(redactJson(deep))).toMatch(/^\[+"\[redacted\]"\]+$/);
  });

  it('changes nothing when it is applied again', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const once = redactJson(value);
        expect(redactJson(once)).toEqual(once);
      }),
    );
  });
});

const HOSTILE = [
  'a',
  ' ',
  '-',
  '\\',
  '"',
  'password',
  'password=',
  'password: ',
  '--token ',
  '--a-token',
  'token":"',
  'token":"\\a',
  'token\\":\\"',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\nDEK-Info: a\n',
  '://a:',
  '://a:b',
  ':@',
  'eyJaaaaa',
  'eyJaaaaa.',
  'eyJaaaaa-',
  'sk-',
  'sk-a',
  'Bearer ',
  'basic aaaa',
  'cookie: ',
  'authorization: ',
  'a.token: x',
  '\ntoken: x',
];

const fragment = fc.oneof(
  fc.constantFrom(...SECRETS.map(([text]) => text), ...HOSTILE, ...ORDINARY),
  fc.constantFrom('[redacted]', '=', ':', ' ', '"', "'", '\\', '\n', '@', '.', '_', '1', 'x', '(', ';', '`'),
  fc.string({ maxLength: 6 }),
);
