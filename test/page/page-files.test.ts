import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PAGE_PATHS } from '../../src/core/page-paths.ts';
import { serveHome, TOKEN } from '../http/serve-home.ts';
import { ROOT } from '../support/documentation.ts';

const FOLDER = join(ROOT, 'dist/web');
const ASSETS = readdirSync(join(FOLDER, 'assets'));
const KB = 1000;

/** A request whose path is sent exactly as it is written. */
function statusOf(url: string, path: string, headers = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
}

describe('the files of the page', () => {
  it('are served to anybody, under a policy that lets in no script, style or address but ours', async () => {
    const { server } = await serveHome({ pageFolder: FOLDER });
    for (const path of [...PAGE_PATHS, ...ASSETS.map((name) => `/assets/${name}`)]) {
      const answer = await fetch(`${server.url}${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|http/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  it('are kept by browsers, packed, and not sent again to whoever has them', async () => {
    const { server } = await serveHome({ pageFolder: FOLDER });
    const script = ASSETS.find((name) => name.endsWith('.js')) ?? '';
    for (const coding of ['br', 'gzip']) {
      const answer = await fetch(`${server.url}/assets/${script}`, { headers: { 'accept-encoding': coding } });
      expect(answer.headers.get('content-encoding')).toBe(coding);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(await answer.text()).toBe(readFileSync(join(FOLDER, 'assets', script), 'utf8'));
    }
    const first = await fetch(server.url);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await fetch(server.url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('are all that can be reached: no path leads to another file', async () => {
    const { server, home } = await serveHome({ pageFolder: FOLDER });
    const paths = [
      '/index.html',
      '/assets/',
      '/assets/..',
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/%2e%2e/index.js',
      '/assets//etc/passwd',
      `/assets/${join(home.path, 'token')}`,
      '/assets/....//token',
      '/../token',
      '/token',
      '/assets/x\0.js',
    ].map((path) => path.replace('\0', '%00'));
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (const path of paths) {
      expect([path, await statusOf(server.url, path)]).toEqual([path, 401]);
      expect([path, await statusOf(server.url, path, headers)]).toEqual([path, 404]);
    }
  });

  it('ask no other origin for anything', () => {
    const texts = [join(FOLDER, 'index.html'), ...ASSETS.map((name) => join(FOLDER, 'assets', name))].map((file) =>
      readFileSync(file, 'utf8'),
    );
    const addresses = texts.flatMap((text) => text.match(/(?:https?:)?\/\/[\w.-]+\.[a-z]{2,}[^\s"'`)]*/gi) ?? []);
    // The names of markup languages are addresses that nobody asks.
    expect(addresses.filter((address) => !address.includes('//www.w3.org/'))).toEqual([]);
  });

  it('take at most 150 kB of script on their way', () => {
    const scripts = ASSETS.filter((name) => name.endsWith('.js')).map((name) =>
      readFileSync(join(FOLDER, 'assets', name)),
    );
    expect(scripts.length).toBeGreaterThan(0);
    const sizeOf = (pack: (bytes: Buffer) => Buffer) => scripts.reduce((sum, bytes) => sum + pack(bytes).length, 0);
    expect(sizeOf((bytes) => gzipSync(bytes))).toBeLessThan(150 * KB);
    expect(sizeOf((bytes) => brotliCompressSync(bytes))).toBeLessThan(150 * KB);
  });
});
